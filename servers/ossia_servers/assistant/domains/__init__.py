"""The domain servers: one module each, with one attribute `DOMAIN`."""
