"""Training tasks, made from the training utterances and proven one by one, and chats of them."""
