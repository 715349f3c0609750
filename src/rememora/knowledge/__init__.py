"""Knowledge: save memories, ask about them, correct them, and erase them."""
