//! Why rules and other settings are refused, for every kind of world alike.

use core::fmt;

/// Why rules, rules together with a palette, or other settings were refused.
///
/// ```
/// use floodplain::water::Rules;
///
/// let error = Rules { throughput: 9, ..Rules::default() }.check().unwrap_err();
/// assert_eq!((error.rule, error.value.as_str()), ("throughput", "9"));
/// assert_eq!(error.to_string(), "throughput is 1 to 7 units a tick, not 9");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "bevy", derive(bevy_reflect::Reflect), type_path = "floodplain")]
#[cfg_attr(feature = "serde", derive(serde::Serialize))]
#[non_exhaustive]
pub struct RulesError {
    /// In a world of materials, the part that the rule belongs to: `"water"`, `"soil"` or
    /// `"blast"`.
    pub part: Option<&'static str>,
    /// The field of the rules, of a material, or of another setting.
    pub rule: &'static str,
    /// The refused value.
    pub value: String,
    /// The values that are allowed.
    pub wanted: String,
}

impl RulesError {
    pub(crate) fn new(
        rule: &'static str,
        value: impl fmt::Display,
        wanted: impl Into<String>,
    ) -> RulesError {
        RulesError { part: None, rule, value: value.to_string(), wanted: wanted.into() }
    }

    /// Returns a function that turns an error of a part into an error of the world.
    pub(crate) fn within(part: &'static str) -> impl Fn(RulesError) -> RulesError {
        move |error| RulesError { part: Some(part), ..error }
    }
}

impl fmt::Display for RulesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let RulesError { part, rule, value, wanted } = self;
        part.map_or(Ok(()), |part| write!(f, "{part}: "))?;
        write!(f, "{rule} is {wanted}, not {value}")
    }
}

impl core::error::Error for RulesError {}
