"""From any file to pages of blocks, in isolated workers."""
