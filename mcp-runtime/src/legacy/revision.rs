//! The revisions that begin with `initialize`, newest first.

use crate::protocol::{Revision, StructuredContent};

/// The code for a resource that does not exist, before 2026-07-28.
const RESOURCE_NOT_FOUND: i32 = -32002;

static NOVEMBER_2025: Revision = Revision {
    name: "2025-11-25",
    index: 2,
    is_stateless: false,
    structured: StructuredContent::Objects,
    resource_not_found: RESOURCE_NOT_FOUND,
    ..*Revision::CURRENT
};

static JUNE_2025: Revision = Revision {
    name: "2025-06-18",
    index: 3,
    has_icons: false,
    ..NOVEMBER_2025
};

static MARCH_2025: Revision = Revision {
    name: "2025-03-26",
    index: 4,
    structured: StructuredContent::Absent,
    has_titles: false,
    has_batches: true,
    ..JUNE_2025
};

static NOVEMBER_2024: Revision = Revision {
    name: "2024-11-05",
    index: 5,
    has_audio: false,
    has_batches: false,
    ..MARCH_2025
};

static REVISIONS: [&Revision; 4] = [&NOVEMBER_2025, &JUNE_2025, &MARCH_2025, &NOVEMBER_2024];

/// The revision of a session whose client asks for one: that one if it is served, else the newest.
pub(super) fn negotiate(requested: &str) -> &'static Revision {
    let served = REVISIONS.iter().find(|revision| revision.name == requested);
    served.unwrap_or(&REVISIONS[0])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_revision_has_a_place_of_its_own() {
        let all = REVISIONS
            .into_iter()
            .chain([Revision::CURRENT, Revision::BARE]);
        let mut places: Vec<_> = all.map(|revision| revision.index).collect();
        places.sort_unstable();
        assert_eq!(places, (0..Revision::COUNT).collect::<Vec<_>>());
    }

    #[test]
    fn a_revision_that_is_not_served_becomes_the_newest() {
        for revision in REVISIONS {
            assert_eq!(negotiate(revision.name).name, revision.name);
        }
        for requested in ["2026-07-28", "2024-10-07", "1.0", "", "2025-11-25 "] {
            assert_eq!(negotiate(requested).name, "2025-11-25", "{requested}");
        }
    }
}
