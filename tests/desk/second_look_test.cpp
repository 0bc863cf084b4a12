// Small targets get a second look, others none: on a real program, shown to the model at half its size.

#include "tools/second_look.h"

#include <gtest/gtest.h>

#include <chrono>
#include <thread>

#include "tests/desk/test_window.h"
#include "tests/desk/x_server.h"
#include "tools/pointer.h"
#include "tools/private_desktop.h"

namespace {

using namespace std::chrono_literals;

class SecondLookTest : public ::testing::Test {
 protected:
  void open(const std::string& display) {
    tools::Desktop::Options options;
    options.display = display;
    options.is_private = true;
    options.reads_widgets = true;
    desktop_ = tools::Desktop::open(options);
  }

  // What the model is shown: the screen at `scale` desktop points per pixel.
  std::shared_ptr<const capture::Frame> show(int scale) {
    const capture::Grab grab = desktop_->grab();
    const capture::Size size = grab.frame->screen_map.image_px();
    auto shown = capture::resize(grab.frame, {size.width / scale, size.height / scale});
    desktop_->show(*shown);
    return shown;
  }

  static tools::ToolCall click_at(const capture::Frame& shown, const tools::Rect& box) {
    const auto pixel = shown.screen_map.to_image({box.x + box.width / 2, box.y + box.height / 2});
    return {"1", "pointer", {{"action", "click"}, {"x", pixel->x_px}, {"y", pixel->y_px}}};
  }

  std::unique_ptr<tools::Desktop> desktop_;
};

TEST_F(SecondLookTest, a_small_widget_of_a_real_program_is_shown_larger_and_then_hit) {
  tools::PrivateDesktop desktop = tools::PrivateDesktop::start();
  open(desktop.display());
  const tools::DesktopProcess process = desktop.launch({"mate-calc"});
  const auto is_it = [&](const tools::Window& window) { return tools::belongs_to_session(window, process.pid()); };
  const auto window = desktop_->windows().wait_for(is_it, 30s);
  ASSERT_TRUE(window);
  tools::UiTree tree(desktop.display());
  tools::UiSnapshot snapshot;
  std::vector<std::size_t> found;
  for (int i = 0; i < 200 && found.empty(); ++i) {  // the window comes before what is in it
    if (i > 0) std::this_thread::sleep_for(50ms);
    snapshot = tree.read(*window);
    found = tools::find_nodes(snapshot, "push button", "7");
  }
  ASSERT_EQ(found.size(), 1U);
  const tools::Rect seven = *snapshot.nodes[found[0]].box;
  desktop_->screen_watch().settle({});

  tools::SecondLook look(*desktop_, {320, 180});
  const auto native = show(1);
  EXPECT_FALSE(look.closer(click_at(*native, seven), *native, {})) << "nothing more to be seen";
  const auto third = show(3);
  ASSERT_LT(std::min(seven.width, seven.height) / 3, 20);
  const auto closer = look.closer(click_at(*third, seven), *third, {});
  ASSERT_TRUE(closer);
  ASSERT_EQ(closer->frames.size(), 1U);
  const capture::Frame& crop = *closer->frames[0];
  EXPECT_EQ(crop.screen_map.scale_x(), 1);
  EXPECT_EQ(crop.screen_map.image_px(), (capture::Size{320, 180}));
  EXPECT_FALSE(look.closer(click_at(crop, seven), crop, {})) << "no third look";

  // The point in the crop's own map hits the button.
  tools::PointerTool pointer(*desktop_);
  const tools::ToolResult result = pointer.run(click_at(crop, seven), {});
  EXPECT_TRUE(result.ok) << result.text;
  const auto at = desktop_->pointer();
  EXPECT_TRUE(at->x_pt >= seven.x && at->x_pt < seven.x + seven.width && at->y_pt >= seven.y &&
              at->y_pt < seven.y + seven.height);
}

TEST_F(SecondLookTest, large_widgets_and_other_calls_are_left_alone) {
  tools::PrivateDesktop desktop = tools::PrivateDesktop::start();
  open(desktop.display());
  const tools::DesktopProcess process = desktop.launch({"mousepad"});
  const auto is_it = [&](const tools::Window& window) { return tools::belongs_to_session(window, process.pid()); };
  const auto window = desktop_->windows().wait_for(is_it, 30s);
  ASSERT_TRUE(window);
  tools::SecondLook look(*desktop_, {320, 180});
  const auto half = show(2);
  EXPECT_FALSE(look.closer(click_at(*half, window->client), *half, {})) << "the middle of the text";
  EXPECT_FALSE(look.closer({"1", "pointer", {{"action", "scroll"}, {"x", 9}, {"y", 9}}}, *half, {}));
  EXPECT_FALSE(look.closer({"1", "keyboard", {{"action", "key"}, {"keys", "a"}}}, *half, {}));
}

TEST_F(SecondLookTest, without_widgets_the_picture_decides) {
  desk_test::TestXServer x;
  open(x.display());
  desk_test::TestWindow window(x.display(), {0, 0, 800, 600}, 0xffffff);
  window.fill({100, 100, 16, 16}, 0x000000);    // a check box of 8 pixels in the picture
  window.fill({300, 100, 200, 120}, 0x3060ff);  // a large button
  tools::SecondLook look(*desktop_, {320, 180});
  const auto half = show(2);
  EXPECT_TRUE(look.closer(click_at(*half, {100, 100, 16, 16}), *half, {}));
  show(2);
  EXPECT_FALSE(look.closer(click_at(*half, {300, 100, 200, 120}), *half, {}));
  EXPECT_FALSE(look.closer(click_at(*half, {600, 400, 20, 20}), *half, {})) << "bare ground";
}

}  // namespace
