"""What mined rules change on labels that gave none of them."""
