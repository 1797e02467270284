//! The thread that writes what others have left to be written, and may wait for the client.

use std::sync::Arc;

use super::Stdio;
use crate::connection::CHUNK;

/// Writes until the connection is closed.
pub(super) fn write(stdio: &Arc<Stdio>) {
    let mut state = stdio.lock();
    while !state.connection.is_closed() {
        let Some(bytes) = state.connection.transmit() else {
            state = stdio.wait_for_bytes(state);
            continue;
        };
        drop(state);
        if bytes.len() > CHUNK {
            stdio.widen();
        }
        let written = stdio.wire.write(&bytes);
        state = stdio.lock();
        let count = bytes.len();
        state.connection.has_written(bytes, count);
        if let Err(error) = written {
            stdio.fail(&mut state, error);
        }
        stdio.after_write(&mut state);
    }
}
