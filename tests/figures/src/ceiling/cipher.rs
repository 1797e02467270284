//! The least that sealing costs: the cipher and the text around it, and nothing that says what is sealed.

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};

/// A cipher with a key.
pub struct Cipher(XChaCha20Poly1305);

impl std::fmt::Debug for Cipher {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Cipher")
    }
}

impl Cipher {
    /// A cipher whose key is no secret.
    #[must_use]
    pub fn new() -> Self {
        Self(XChaCha20Poly1305::new(&Key::from([7; 32])))
    }

    /// Seals a payload, opens it again, and tells whether it is the same.
    #[must_use]
    pub fn there_and_back(&self, payload: &[u8]) -> bool {
        let nonce = XNonce::from([3; 24]);
        let sealed = self.0.encrypt(&nonce, payload).unwrap_or_default();
        let text = URL_SAFE_NO_PAD.encode(sealed);
        let sealed = URL_SAFE_NO_PAD.decode(text).unwrap_or_default();
        let opened = self.0.decrypt(&nonce, &*sealed).unwrap_or_default();
        opened == payload
    }
}

impl Default for Cipher {
    fn default() -> Self {
        Self::new()
    }
}
