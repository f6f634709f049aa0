"""What is known of JAX and the libraries around it, as data: a new library is a row in a table."""
