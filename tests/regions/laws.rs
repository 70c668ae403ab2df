//! Laws of random worlds over regions.
