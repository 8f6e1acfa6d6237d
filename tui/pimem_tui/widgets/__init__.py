"""The pieces that screens are put together from. Data comes down, messages go up."""

from .body_view import BodyView
from .filter_bar import FilterBar
from .header_line import HeaderLine
from .key_bar import KeyBar
from .layer_strip import LayerStrip
from .list_frame import ListFrame
from .page import Page
from .preview import Preview
from .store_header import StoreAbout, StoreTabs
from .too_small import TooSmall
from .topic_heading import TopicHeading
from .topic_list import TopicList

__all__ = [
    "BodyView",
    "FilterBar",
    "HeaderLine",
    "KeyBar",
    "LayerStrip",
    "ListFrame",
    "Page",
    "Preview",
    "StoreAbout",
    "StoreTabs",
    "TooSmall",
    "TopicHeading",
    "TopicList",
]
