"""What the documents of the sample estate say, with the questions asked of them; one topic and language a module."""
