//! The picture and the sound of the fixtures.

/// One red pixel.
pub(crate) const PICTURE: &[u8] = include_bytes!("../media/red-pixel.png");
/// One silent sample.
pub(crate) const SOUND: &[u8] = include_bytes!("../media/silence.wav");

pub(crate) const PICTURE_TYPE: &str = "image/png";
pub(crate) const SOUND_TYPE: &str = "audio/wav";
