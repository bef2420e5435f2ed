"""Plans that are carried out on worlds, and the tasks whose plans can be."""
