//! Pages of the ring buffer.

use tracec_kernel::page::{Page, PageLayout};

/// Reads a page of a 64-bit kernel, of a 32-bit one, and of one of the other byte order.
pub fn page(data: &[u8]) {
    let layout = PageLayout::default();
    let small = PageLayout { commit_size: 4, data_offset: 12, ..layout };
    let other = PageLayout { little_endian: !layout.little_endian, ..layout };
    for layout in [layout, small, other] {
        let Ok(page) = Page::new(&layout, data) else { continue };
        let _ = (page.timestamp(), page.lost());
        let mut bytes = 0;
        let mut failed = false;
        for entry in page.entries() {
            assert!(!failed, "an entry behind an error");
            match entry {
                Ok(entry) => bytes += entry.data.len(),
                Err(error) => {
                    failed = true;
                    assert!(!error.to_string().is_empty());
                }
            }
        }
        assert!(bytes <= data.len(), "{bytes} bytes in a page of {}", data.len());
    }
}
