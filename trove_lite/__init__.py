"""trove_lite: does tool-making help a language model that answers by writing programs?"""
