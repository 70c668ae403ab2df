//! Every word is a cell that reads back bit by bit, or is refused by the law it breaks.

#[path = "support/words.rs"]
mod words;

#[test]
fn every_word_is_judged_by_its_bits() {
    (0..=u16::MAX).for_each(words::check);
}
