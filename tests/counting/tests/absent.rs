//! A test that forgets to make the allocator the global one fails.

#[test]
#[should_panic(expected = "not the #[global_allocator]")]
fn without_the_allocator_nothing_can_be_said() {
    hapticd_counting::counted(|| ());
}
