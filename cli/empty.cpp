// Keeps the library non-empty while its rooms are being furnished.
