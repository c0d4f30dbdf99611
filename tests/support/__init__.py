"""What the whole-box tests stand on: namespaces, peers, and a router under test."""
