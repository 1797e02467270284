//! Forms with fields of every kind.

use std::borrow::Cow;
use std::sync::Arc;

use mcp_runtime::prelude::*;

/// How a parcel comes.
#[derive(ElicitForm, Debug, PartialEq)]
pub(crate) enum Delivery {
    Post,
    /// By bicycle,
    /// within the city.
    ///
    /// From the depot.
    #[form(rename = "bicycle")]
    Bicycle,
    #[form(rename = "pick-up", title = "I come for it")]
    PickUp,
}

#[derive(ElicitForm, Debug, PartialEq)]
pub(crate) enum Colour {
    Red,
    r#Green = 7,
    #[form(rename = "BLUE")]
    Blue,
}

pub(crate) type Words = String;
pub(crate) type Maybe<T> = Option<T>;
pub(crate) type Several<T> = Vec<T>;

const ADULT: u8 = 18;

/// What a shop asks.
#[derive(ElicitForm, Debug, PartialEq)]
pub(crate) struct Order {
    /// Your full name.
    ///
    /// As on the door.
    #[form(length(1..=40))]
    pub(crate) name: Words,
    #[form(
        format = "email",
        title = "Where we write to",
        default = "ada@example.com"
    )]
    pub(crate) email: Box<str>,
    #[form(format = "uri")]
    pub(crate) home_page: Maybe<Arc<str>>,
    #[form(
        format = "date",
        rename = "birth-day",
        description = "A day of the calendar."
    )]
    pub(crate) birthday: Cow<'static, str>,
    #[form(format = "date-time")]
    pub(crate) r#when: Option<String>,
    pub(crate) initial: char,
    /// In years.
    #[form(range(18..=130), default = ADULT)]
    pub(crate) age: u8,
    #[form(range(..100))]
    pub(crate) floor: i16,
    pub(crate) number: u64,
    pub(crate) delta: i64,
    #[form(range(0.5..=2.5), default = 0.1 + 0.9)]
    pub(crate) scale: f32,
    pub(crate) weight: Option<f64>,
    #[form(default = true)]
    pub(crate) is_gift: bool,
    #[form(default = Delivery::PickUp)]
    pub(crate) delivery: Delivery,
    pub(crate) first: Option<Delivery>,
    pub(crate) colour: Colour,
    #[form(items(1..=2), default = [Colour::Red, Colour::Blue])]
    pub(crate) colours: Several<Colour>,
    #[form(items(..3))]
    pub(crate) ways: Vec<Delivery>,
    pub(crate) others: Option<Vec<Delivery>>,
}

/// A question for yes or no.
#[derive(ElicitForm, Debug, PartialEq)]
pub(crate) struct Consent {}
