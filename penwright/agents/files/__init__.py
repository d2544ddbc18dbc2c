"""The files of a workspace as tools read them."""
