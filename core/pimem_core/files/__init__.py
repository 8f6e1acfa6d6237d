"""Safe reading, durable publishing, lock, front matter, transactions: what systems stand on."""
