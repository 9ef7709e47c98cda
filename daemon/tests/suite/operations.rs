//! The operations page and the udev rules agree with the code.

use hapticd_devices::profile::SHIPPED;
use hapticd_devices::safety::{ForceOffReason, Response};

const PAGE: &str = include_str!("../../../docs/operations.md");
const RULES: &str = include_str!("../../../config/udev/60-hapticd.rules");

#[test]
fn every_reason_has_its_row_with_the_right_response() {
    for reason in ForceOffReason::ALL {
        let response = match reason.response() {
            Response::Cut => "cut",
            Response::Fade => "fade",
        };
        let latched = if reason.is_latched() { ", latched" } else { "" };
        let row = format!(
            "| {} | {} | {response}{latched} |",
            reason.code(),
            reason.text()
        );
        assert!(PAGE.contains(&row), "docs/operations.md lacks: {row}");
    }
    let rows = PAGE
        .lines()
        .filter(|l| l.contains("| cut") || l.contains("| fade"))
        .count();
    assert_eq!(
        rows,
        ForceOffReason::ALL.len(),
        "a row for a reason that does not exist"
    );
}

/// Returns the text between `key = 0x` and the next blank, in the profile's text.
fn numbers<'a>(text: &'a str, key: &str) -> Vec<&'a str> {
    text.lines()
        .filter_map(|l| l.strip_prefix(key)?.trim_start().strip_prefix("= 0x"))
        .filter_map(|v| v.split_whitespace().next())
        .collect()
}

#[test]
fn every_shipped_profile_has_a_udev_rule() {
    for profile in SHIPPED {
        let vendors = numbers(profile.text, "vendor_id");
        assert!(!vendors.is_empty(), "{} has no vendor", profile.name);
        for vendor in vendors {
            let vendor = format!("ATTRS{{idVendor}}==\"{}\"", vendor.to_lowercase());
            let lines: Vec<&str> = RULES
                .lines()
                .filter(|l| l.starts_with(&vendor) && l.contains("TAG+=\"uaccess\""))
                .collect();
            assert!(!lines.is_empty(), "{}: no rule for {vendor}", profile.name);
            for product in numbers(profile.text, "product_id") {
                let product = format!("\"{}\"", product.to_lowercase());
                assert!(
                    lines.iter().any(|l| l.contains(&product)),
                    "{}: no rule for {product}",
                    profile.name
                );
            }
        }
    }
}
