"""Teams: roles, prompts, tools and allowed order, the same for every framework."""
