//! Sealing: what a client carries for the server and can neither read nor change.
//!
//! This knows bytes and keys. What the bytes mean, and for which request they are good, is the business of the module above.

use std::fmt;
use std::sync::OnceLock;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use chacha20poly1305::{Key, XChaCha20Poly1305, XNonce};

use crate::dispatch::environment::{Environment, NoRandomness};

/// The first byte of everything that is sealed, and authenticated with it and with the name.
const VERSION: u8 = 2;
const NONCE: usize = 24;
const TAG: usize = 16;

/// The keys of a server: the first one seals, all of them open.
pub(crate) struct KeyRing {
    /// Empty until first used, if they are this process's own.
    ciphers: OnceLock<Vec<XChaCha20Poly1305>>,
}

impl fmt::Debug for KeyRing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyRing")
    }
}

/// What was sealed.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Unsealed {
    /// What no other seal has: its nonce, as text.
    pub(crate) id: String,
    pub(crate) payload: Vec<u8>,
}

impl KeyRing {
    /// A random key, made when it is first needed and known to this process alone.
    pub(crate) fn random() -> Self {
        Self {
            ciphers: OnceLock::new(),
        }
    }

    /// The keys that several processes share, the newest first.
    pub(crate) fn of(keys: impl IntoIterator<Item = [u8; 32]>) -> Self {
        Self {
            ciphers: OnceLock::from(keys.into_iter().map(cipher).collect::<Vec<_>>()),
        }
    }

    /// Encrypts and authenticates; the text is unpadded base64url.
    pub(crate) fn seal(
        &self,
        payload: &[u8],
        name: &str,
        environment: &dyn Environment,
    ) -> Result<String, NoRandomness> {
        let cipher = self.newest(environment)?;
        let mut nonce = [0; NONCE];
        // With 192 random bits two replicas never meet, and nobody has to count.
        environment.fill_random(&mut nonce)?;
        let message = Payload {
            msg: payload,
            aad: &bound_to(name),
        };
        let mut sealed = Vec::with_capacity(1 + NONCE + payload.len() + TAG);
        sealed.push(VERSION);
        sealed.extend_from_slice(&nonce);
        match cipher.encrypt(&XNonce::from(nonce), message) {
            Ok(text) => sealed.extend_from_slice(&text),
            Err(_) => unreachable!("only a message of 256 GiB is too long for the cipher"),
        }
        Ok(URL_SAFE_NO_PAD.encode(sealed))
    }

    /// Decrypts what one of the keys has sealed; `None` for everything else.
    pub(crate) fn open(&self, text: &str, name: &str) -> Option<Unsealed> {
        // The decoder takes no padding, no other alphabet and no bits beyond the last byte: one text for one seal.
        let sealed = URL_SAFE_NO_PAD.decode(text).ok()?;
        let (&version, rest) = sealed.split_first()?;
        let (nonce, message) = rest.split_first_chunk::<NONCE>()?;
        if version != VERSION {
            return None;
        }
        let bound_to = bound_to(name);
        let payload = self.ciphers.get()?.iter().find_map(|cipher| {
            let message = Payload {
                msg: message,
                aad: &bound_to,
            };
            cipher.decrypt(&XNonce::from(*nonce), message).ok()
        })?;
        Some(Unsealed {
            id: URL_SAFE_NO_PAD.encode(nonce),
            payload,
        })
    }

    fn newest(&self, environment: &dyn Environment) -> Result<&XChaCha20Poly1305, NoRandomness> {
        if self.ciphers.get().is_none() {
            let mut key = [0; 32];
            environment.fill_random(&mut key)?;
            // Another thread may have been faster, then its key is the one.
            let _ = self.ciphers.set(vec![cipher(key)]);
        }
        match self.ciphers.get().and_then(|ciphers| ciphers.first()) {
            Some(cipher) => Ok(cipher),
            None => unreachable!("a ring without a key is refused when the server is built"),
        }
    }
}

/// What is authenticated with a message: it opens only under the same name.
fn bound_to(name: &str) -> Vec<u8> {
    [&[VERSION], name.as_bytes()].concat()
}

fn cipher(key: [u8; 32]) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&Key::from(key))
}
