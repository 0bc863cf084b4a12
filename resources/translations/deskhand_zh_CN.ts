<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="zh_CN" sourcelanguage="en">
    <context>
        <name>Calls</name>
        <message>
            <source>Move to %1</source>
            <translation>移动到 %1</translation>
        </message>
        <message>
            <source>Press the button at %1</source>
            <translation>在 %1 按下按键</translation>
        </message>
        <message>
            <source>Release the button at %1</source>
            <translation>在 %1 松开按键</translation>
        </message>
        <message>
            <source>Drag from %1 to %2</source>
            <translation>从 %1 拖到 %2</translation>
        </message>
        <message>
            <source>Scroll down</source>
            <translation>向下滚动</translation>
        </message>
        <message>
            <source>Scroll up</source>
            <translation>向上滚动</translation>
        </message>
        <message>
            <source>Scroll right</source>
            <translation>向右滚动</translation>
        </message>
        <message>
            <source>Scroll left</source>
            <translation>向左滚动</translation>
        </message>
        <message>
            <source>Type “%1”</source>
            <translation>输入“%1”</translation>
        </message>
        <message>
            <source>Hold %1</source>
            <translation>按住 %1</translation>
        </message>
        <message>
            <source>Release %1</source>
            <translation>松开 %1</translation>
        </message>
        <message>
            <source>Press %1</source>
            <translation>按 %1</translation>
        </message>
        <message>
            <source>List the windows</source>
            <translation>列出窗口</translation>
        </message>
        <message>
            <source>Wait for the window %1</source>
            <translation>等待窗口 %1</translation>
        </message>
        <message>
            <source>Close the window %1</source>
            <translation>关闭窗口 %1</translation>
        </message>
        <message>
            <source>Switch to the window %1</source>
            <translation>切换到窗口 %1</translation>
        </message>
        <message>
            <source>Arrange the window %1</source>
            <translation>调整窗口 %1</translation>
        </message>
        <message>
            <source>Run a command</source>
            <translation>运行命令</translation>
        </message>
        <message>
            <source>Look after a running command</source>
            <translation>查看正在运行的命令</translation>
        </message>
        <message>
            <source>Open %1</source>
            <translation>打开 %1</translation>
        </message>
        <message>
            <source>Look closer</source>
            <translation>放大查看</translation>
        </message>
        <message>
            <source>Look at the screen</source>
            <translation>查看屏幕</translation>
        </message>
        <message>
            <source>Wait</source>
            <translation>等待</translation>
        </message>
        <message>
            <source>Read the widgets</source>
            <translation>读取控件</translation>
        </message>
        <message>
            <source>Use the clipboard</source>
            <translation>使用剪贴板</translation>
        </message>
        <message>
            <source>Make a plan</source>
            <translation>制定计划</translation>
        </message>
        <message>
            <source>Ask you</source>
            <translation>询问你</translation>
        </message>
        <message>
            <source>Give up</source>
            <translation>放弃</translation>
        </message>
        <message>
            <source>Fetch %1</source>
            <translation>获取 %1</translation>
        </message>
        <message>
            <source>Read %1</source>
            <translation>读取 %1</translation>
        </message>
        <message>
            <source>Write %1</source>
            <translation>写入 %1</translation>
        </message>
        <message>
            <source>Edit %1</source>
            <translation>编辑 %1</translation>
        </message>
        <message>
            <source>List %1</source>
            <translation>列出 %1</translation>
        </message>
        <message>
            <source>Search %1</source>
            <translation>搜索 %1</translation>
        </message>
        <message>
            <source>Change files</source>
            <translation>更改文件</translation>
        </message>
        <message>
            <source>Undo an edit</source>
            <translation>撤销编辑</translation>
        </message>
        <message>
            <source>only looks</source>
            <translation>仅查看</translation>
        </message>
        <message>
            <source>reads files of the workspace</source>
            <translation>读取工作区文件</translation>
        </message>
        <message>
            <source>reads files outside the workspace</source>
            <translation>读取工作区以外的文件</translation>
        </message>
        <message>
            <source>works its own desktop</source>
            <translation>操作它自己的桌面</translation>
        </message>
        <message>
            <source>works your desktop</source>
            <translation>操作你的桌面</translation>
        </message>
        <message>
            <source>changes files of the workspace</source>
            <translation>更改工作区文件</translation>
        </message>
        <message>
            <source>changes files outside the workspace</source>
            <translation>更改工作区以外的文件</translation>
        </message>
        <message>
            <source>runs a command</source>
            <translation>运行命令</translation>
        </message>
        <message>
            <source>uses the network</source>
            <translation>使用网络</translation>
        </message>
        <message>
            <source>confirmed</source>
            <translation>已确认</translation>
        </message>
        <message>
            <source>partly seen</source>
            <translation>部分可见</translation>
        </message>
        <message>
            <source>no effect</source>
            <translation>无效果</translation>
        </message>
        <message>
            <source>not verifiable</source>
            <translation>无法验证</translation>
        </message>
        <message>
            <source>refused</source>
            <translation>被拒绝</translation>
        </message>
        <message>
            <source>Done</source>
            <translation>完成</translation>
        </message>
        <message>
            <source>Gave up</source>
            <translation>已放弃</translation>
        </message>
        <message>
            <source>Stuck</source>
            <translation>卡住了</translation>
        </message>
        <message>
            <source>Not allowed</source>
            <translation>未获允许</translation>
        </message>
        <message>
            <source>Stopped</source>
            <translation>已停止</translation>
        </message>
        <message>
            <source>Failed</source>
            <translation>失败</translation>
        </message>
        <message>
            <source>Running</source>
            <translation>运行中</translation>
        </message>
        <message>
            <source>Interrupted</source>
            <translation>已中断</translation>
        </message>
        <message>
            <source>Double click at %1</source>
            <translation>双击 %1</translation>
        </message>
        <message>
            <source>Right click at %1</source>
            <translation>右键单击 %1</translation>
        </message>
        <message>
            <source>Middle click at %1</source>
            <translation>中键单击 %1</translation>
        </message>
        <message>
            <source>Click</source>
            <translation>单击</translation>
        </message>
        <message>
            <source>Click at %1</source>
            <translation>单击 %1</translation>
        </message>
        <message>
            <source>destroys something</source>
            <translation>会毁坏某些内容</translation>
        </message>
        <message>
            <source>touches credentials</source>
            <translation>涉及凭据</translation>
        </message>
        <message>
            <source>spends money</source>
            <translation>会花钱</translation>
        </message>
        <message>
            <source>gains more rights</source>
            <translation>获取更高权限</translation>
        </message>
    </context>
    <context>
        <name>Checks</name>
        <message>
            <source>Your display</source>
            <translation>你的显示器</translation>
        </message>
        <message>
            <source>Mouse and keys on it</source>
            <translation>其鼠标和键盘</translation>
        </message>
        <message>
            <source>A desktop of its own</source>
            <translation>独立桌面</translation>
        </message>
        <message>
            <source>Reading widgets</source>
            <translation>读取控件</translation>
        </message>
        <message>
            <source>Commands in a sandbox</source>
            <translation>沙盒中的命令</translation>
        </message>
        <message>
            <source>Programs</source>
            <translation>程序</translation>
        </message>
        <message>
            <source>The small model</source>
            <translation>小模型</translation>
        </message>
        <message>
            <source>GPU</source>
            <translation>GPU</translation>
        </message>
        <message>
            <source>The record</source>
            <translation>记录</translation>
        </message>
        <message>
            <source>Disk</source>
            <translation>磁盘</translation>
        </message>
        <message>
            <source>Desktop portal</source>
            <translation>桌面门户</translation>
        </message>
        <message>
            <source>Keyring</source>
            <translation>密钥环</translation>
        </message>
        <message>
            <source>log in to an X11 session</source>
            <translation>请登录 X11 会话</translation>
        </message>
        <message>
            <source>log in to an X11 session for --desktop mine</source>
            <translation>要使用 --desktop mine，请登录 X11 会话</translation>
        </message>
        <message>
            <source>a Wayland session without X11</source>
            <translation>没有 X11 的 Wayland 会话</translation>
        </message>
        <message>
            <source>no display here</source>
            <translation>此处没有显示器</translation>
        </message>
        <message>
            <source>private desktops work all the same; --desktop mine needs an X11 session</source>
            <translation>专用桌面仍可使用；--desktop mine 需要 X11 会话</translation>
        </message>
        <message>
            <source>X11 programs of a Wayland session (%1, %2)</source>
            <translation>Wayland 会话中的 X11 程序（%1，%2）</translation>
        </message>
        <message>
            <source>only X11 windows can be seen and worked; log in to an X11 session for --desktop mine</source>
            <translation>只能看到和操作 X11 窗口；要使用 --desktop mine，请登录 X11 会话</translation>
        </message>
        <message>
            <source>X11 display %1, %2</source>
            <translation>X11 显示器 %1，%2</translation>
        </message>
        <message>
            <source>no display to try it on</source>
            <translation>没有可供测试的显示器</translation>
        </message>
        <message>
            <source>work on a private desktop, which has a window manager and no input method</source>
            <translation>请使用专用桌面：它有窗口管理器，没有输入法</translation>
        </message>
        <message>
            <source>the input helper works %1 through XTest</source>
            <translation>输入助手可通过 XTest 操作 %1</translation>
        </message>
        <message>
            <source>install xvfb, xauth, openbox, dbus, dbus-x11, at-spi2-core and x11-xkb-utils</source>
            <translation>请安装 xvfb、xauth、openbox、dbus、dbus-x11、at-spi2-core 和 x11-xkb-utils</translation>
        </message>
        <message>
            <source>starts, is seen, and takes keys (%1)</source>
            <translation>可以启动、可见并接受按键（%1）</translation>
        </message>
        <message>
            <source>install at-spi2-core and libatk-adaptor</source>
            <translation>请安装 at-spi2-core 和 libatk-adaptor</translation>
        </message>
        <message>
            <source>the accessibility bus of a private desktop answers</source>
            <translation>专用桌面的无障碍总线有响应</translation>
        </message>
        <message>
            <source>install bubblewrap, and allow user namespaces</source>
            <translation>请安装 bubblewrap，并允许用户命名空间</translation>
        </message>
        <message>
            <source>a command ran in bubblewrap</source>
            <translation>已在 bubblewrap 中运行一条命令</translation>
        </message>
        <message>
            <source>mousepad, mate-calc, Xephyr and ripgrep are there</source>
            <translation>mousepad、mate-calc、Xephyr 和 ripgrep 均已安装</translation>
        </message>
        <message>
            <source>missing: %1</source>
            <translation>缺少：%1</translation>
        </message>
        <message>
            <source>install mousepad, mate-calc (demonstration, calibrate), xserver-xephyr (--watch), ripgrep (search)</source>
            <translation>请安装 mousepad、mate-calc（演示、calibrate）、xserver-xephyr（--watch）、ripgrep（搜索）</translation>
        </message>
        <message>
            <source>no NVIDIA GPU: models run on the processor</source>
            <translation>没有 NVIDIA GPU：模型在处理器上运行</translation>
        </message>
        <message>
            <source>the small model needs none; for MiniMax-M3 use a GPU, or a server by --model http://…</source>
            <translation>小模型不需要；MiniMax-M3 请使用 GPU，或用 --model http://… 连接服务器</translation>
        </message>
        <message>
            <source>an NVIDIA GPU, but Deskhand was built without CUDA</source>
            <translation>有 NVIDIA GPU，但 Deskhand 构建时未启用 CUDA</translation>
        </message>
        <message>
            <source>install the CUDA toolkit (nvcc) and build again</source>
            <translation>请安装 CUDA 工具包（nvcc）后重新构建</translation>
        </message>
        <message>
            <source>an NVIDIA GPU and the kernels for it</source>
            <translation>有 NVIDIA GPU 及其内核</translation>
        </message>
        <message>
            <source>%1 loads from %2</source>
            <translation>%1 可从 %2 加载</translation>
        </message>
        <message>
            <source>install Deskhand again</source>
            <translation>请重新安装 Deskhand</translation>
        </message>
        <message>
            <source>no D-Bus session</source>
            <translation>没有 D-Bus 会话</translation>
        </message>
        <message>
            <source>only needed for Wayland desktops</source>
            <translation>仅 Wayland 桌面需要</translation>
        </message>
        <message>
            <source>no desktop portal runs</source>
            <translation>没有正在运行的桌面门户</translation>
        </message>
        <message>
            <source>only needed for Wayland desktops: install xdg-desktop-portal</source>
            <translation>仅 Wayland 桌面需要：请安装 xdg-desktop-portal</translation>
        </message>
        <message>
            <source>a desktop portal runs</source>
            <translation>桌面门户正在运行</translation>
        </message>
        <message>
            <source>%1 can be read and written</source>
            <translation>%1 可读写</translation>
        </message>
        <message>
            <source>see the message</source>
            <translation>请查看消息</translation>
        </message>
        <message>
            <source>%1 can&apos;t be looked at</source>
            <translation>无法查看 %1</translation>
        </message>
        <message>
            <source>make it a folder of yours</source>
            <translation>请将其改为您自己的文件夹</translation>
        </message>
        <message>
            <source>%1 GiB free in %2</source>
            <translation>%2 中有 %1 GiB 可用空间</translation>
        </message>
        <message>
            <source>free some: sessions record what was seen</source>
            <translation>请释放空间：会话会记录所见内容</translation>
        </message>
        <message>
            <source>free some space</source>
            <translation>请释放一些空间</translation>
        </message>
        <message>
            <source>secret-tool is there for keys and passwords</source>
            <translation>secret-tool 可用于保存密钥和密码</translation>
        </message>
        <message>
            <source>no secret-tool: keys and passwords come from files (mode 0600) or the environment</source>
            <translation>没有 secret-tool：密钥和密码来自文件（模式 0600）或环境变量</translation>
        </message>
        <message>
            <source>install libsecret-tools to keep them in the keyring</source>
            <translation>请安装 libsecret-tools，将其保存在密钥环中</translation>
        </message>
    </context>
    <context>
        <name>Export</name>
        <message>
            <source>Report (HTML)</source>
            <translation>报告 (HTML)</translation>
        </message>
        <message>
            <source>Film (MP4)</source>
            <translation>影片 (MP4)</translation>
        </message>
        <message>
            <source>Zip file with pictures and events</source>
            <translation>包含图片和事件的 Zip 文件</translation>
        </message>
        <message>
            <source>Folder with pictures and events</source>
            <translation>包含图片和事件的文件夹</translation>
        </message>
        <message>
            <source>Workflow that can be replayed</source>
            <translation>可重放的工作流</translation>
        </message>
        <message>
            <source>Exported to %1</source>
            <translation>已导出到 %1</translation>
        </message>
    </context>
    <context>
        <name>Transcript</name>
        <message numerus="yes">
            <source>… %n more lines …</source>
            <translation>
                <numerusform>… 还有 %n 行 …</numerusform>
            </translation>
        </message>
        <message>
            <source>Thought</source>
            <translation>思考</translation>
        </message>
        <message>
            <source>Thought: %1</source>
            <translation>思考：%1</translation>
        </message>
        <message>
            <source>denied</source>
            <translation>已拒绝</translation>
        </message>
        <message>
            <source>running</source>
            <translation>运行中</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>失败</translation>
        </message>
        <message numerus="yes">
            <source>%n actions</source>
            <translation>
                <numerusform>%n 个操作</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n without a clear effect</source>
            <translation>
                <numerusform>%n 个没有明显效果</numerusform>
            </translation>
        </message>
        <message>
            <source>“%1” was read by %2</source>
            <translation>“%1”由 %2 读取</translation>
        </message>
        <message>
            <source>Every claim that cites results is proven by them.</source>
            <translation>每个引用结果的结论都由结果证实。</translation>
        </message>
        <message>
            <source>Not proven: “%1” (%2)</source>
            <translation>未证实：“%1”（%2）</translation>
        </message>
    </context>
    <context>
        <name>app::AgentBridge</name>
        <message>
            <source>Loading the model…</source>
            <translation>正在加载模型…</translation>
        </message>
        <message>
            <source>Opening the desktop…</source>
            <translation>正在打开桌面…</translation>
        </message>
        <message>
            <source>Asking the model's server…</source>
            <translation>正在询问模型服务器…</translation>
        </message>
    </context>
    <context>
        <name>app::ApprovalPanel</name>
        <message>
            <source>Question of consent</source>
            <translation>请求许可</translation>
        </message>
        <message>
            <source>What exactly would be done</source>
            <translation>将要执行的具体内容</translation>
        </message>
        <message>
            <source>If not: why, or what instead? The model reads it.</source>
            <translation>如果不允许：为什么，或该怎么做？模型会读到。</translation>
        </message>
        <message>
            <source>Reason for the model</source>
            <translation>给模型的理由</translation>
        </message>
        <message>
            <source>Deny</source>
            <translation>拒绝</translation>
        </message>
        <message>
            <source>For this session</source>
            <translation>本次会话内</translation>
        </message>
        <message>
            <source>Always</source>
            <translation>始终</translation>
        </message>
        <message>
            <source>Allow once</source>
            <translation>允许一次</translation>
        </message>
        <message>
            <source>Allow this? %1</source>
            <translation>允许这样做吗？%1</translation>
        </message>
        <message>
            <source>You are asked, because it looks as if it destroyed something.</source>
            <translation>需要询问，因为它看起来会破坏某些内容。</translation>
        </message>
        <message>
            <source>You are asked, because it looks as if it touched passwords or keys.</source>
            <translation>需要询问，因为它看起来会接触密码或密钥。</translation>
        </message>
        <message>
            <source>You are asked, because it looks as if it spent money.</source>
            <translation>需要询问，因为它看起来会花钱。</translation>
        </message>
        <message>
            <source>You are asked, because it looks as if it took an administrator&apos;s rights.</source>
            <translation>需要询问，因为它看起来会取得管理员权限。</translation>
        </message>
        <message>
            <source>You are asked, because it types a secret.</source>
            <translation>需要询问，因为它会输入机密内容。</translation>
        </message>
        <message>
            <source>You are asked each time, because a part of it was read by %1.</source>
            <translation>每次都会询问，因为其中一部分由 %1 读取。</translation>
        </message>
        <message>
            <source>You are asked, because it %1.</source>
            <translation>需要询问，因为它会：%1。</translation>
        </message>
        <message>
            <source>It would hit: %1</source>
            <translation>目标：%1</translation>
        </message>
        <message>
            <source>Allows from now on: %1</source>
            <translation>从现在起允许：%1</translation>
        </message>
        <message>
            <source>%1 was read by %2</source>
            <translation>%1 由 %2 读取</translation>
        </message>
        <message>
            <source>Where parts of the command come from</source>
            <translation>命令各部分的来源</translation>
        </message>
        <message>
            <source>Allow %1 of %2</source>
            <translation>允许 %2 处中的 %1 处</translation>
        </message>
        <message numerus="yes">
            <source>%n changes, shown at the left. Those that you untick are left out, and the model is told.</source>
            <translation>
                <numerusform>左侧显示 %n 处更改。取消勾选的将被略去，并告知模型。</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>app::BlockStrip</name>
        <message>
            <source>Blocks that the model chose</source>
            <translation>模型选择的块</translation>
        </message>
        <message>
            <source>Tokens %1 to %2: chosen by %3 %</source>
            <translation>词元 %1 到 %2：%3 % 选择</translation>
        </message>
    </context>
    <context>
        <name>app::BranchPanel</name>
        <message>
            <source>Run from here</source>
            <translation>从此处运行</translation>
        </message>
        <message>
            <source>It remembers all until there. Its desktop is a new one, and files are as they are now.</source>
            <translation>它记得此前的一切。桌面是新的，文件保持现在的状态。</translation>
        </message>
        <message>
            <source>What should be done from here?</source>
            <translation>从此处起要做什么？</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>取消</translation>
        </message>
        <message>
            <source>Run</source>
            <translation>运行</translation>
        </message>
        <message>
            <source>A new session goes on from %1</source>
            <translation>新会话从 %1 处继续</translation>
        </message>
    </context>
    <context>
        <name>app::Composer</name>
        <message>
            <source>What should be done?</source>
            <translation>要做什么？</translation>
        </message>
        <message>
            <source>What should be done next?</source>
            <translation>接下来做什么？</translation>
        </message>
        <message>
            <source>Task</source>
            <translation>任务</translation>
        </message>
        <message>
            <source>Start</source>
            <translation>开始</translation>
        </message>
        <message>
            <source>Go on</source>
            <translation>继续</translation>
        </message>
        <message>
            <source>Its own desktop</source>
            <translation>独立桌面</translation>
        </message>
        <message>
            <source>My desktop</source>
            <translation>我的桌面</translation>
        </message>
        <message>
            <source>Files and commands only</source>
            <translation>仅文件和命令</translation>
        </message>
        <message>
            <source>Attach files</source>
            <translation>附加文件</translation>
        </message>
        <message>
            <source>Files only</source>
            <translation>仅文件</translation>
        </message>
        <message>
            <source>Where: %1</source>
            <translation>位置：%1</translation>
        </message>
        <message>
            <source>Where the task is done</source>
            <translation>在哪里执行任务</translation>
        </message>
        <message>
            <source>No model</source>
            <translation>无模型</translation>
        </message>
        <message>
            <source>Model: %1</source>
            <translation>模型：%1</translation>
        </message>
        <message>
            <source>Which model does it</source>
            <translation>由哪个模型执行</translation>
        </message>
        <message>
            <source>No folder</source>
            <translation>无文件夹</translation>
        </message>
        <message>
            <source>Folder: %1</source>
            <translation>文件夹：%1</translation>
        </message>
        <message>
            <source>The folder to work in</source>
            <translation>工作文件夹</translation>
        </message>
        <message>
            <source>%1
Click to remove it</source>
            <translation>%1
点击移除</translation>
        </message>
        <message>
            <source>Attached: %1</source>
            <translation>已附加：%1</translation>
        </message>
        <message>
            <source>File: %1</source>
            <translation>文件：%1</translation>
        </message>
    </context>
    <context>
        <name>app::EditReview</name>
        <message>
            <source>Changes of files</source>
            <translation>文件更改</translation>
        </message>
        <message>
            <source>Side by side</source>
            <translation>并排</translation>
        </message>
        <message>
            <source>Inline</source>
            <translation>内联</translation>
        </message>
        <message>
            <source>Back to the screen</source>
            <translation>返回屏幕</translation>
        </message>
        <message numerus="yes">
            <source>Changes to %n files: untick what should be left out</source>
            <translation>
                <numerusform>%n 个文件的更改：取消勾选要略去的部分</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>Changes to %n files</source>
            <translation>
                <numerusform>%n 个文件的更改</numerusform>
            </translation>
        </message>
        <message>
            <source>new file</source>
            <translation>新文件</translation>
        </message>
        <message>
            <source>will be deleted</source>
            <translation>将被删除</translation>
        </message>
        <message>
            <source>moves to %1</source>
            <translation>移动到 %1</translation>
        </message>
        <message>
            <source>Lines %1 to %2</source>
            <translation>第 %1 至 %2 行</translation>
        </message>
        <message>
            <source>This change</source>
            <translation>此更改</translation>
        </message>
        <message>
            <source>Take the change of %1, %2</source>
            <translation>采用 %1 的更改，%2</translation>
        </message>
    </context>
    <context>
        <name>app::HomePage</name>
        <message>
            <source>What should be done?</source>
            <translation>要做什么？</translation>
        </message>
        <message>
            <source>It works on a desktop of its own, shows you each step, and asks before anything that matters.</source>
            <translation>它在自己的桌面上工作，展示每一步，重要操作前会先询问。</translation>
        </message>
        <message>
            <source>Try one of these</source>
            <translation>试试这些</translation>
        </message>
        <message>
            <source>Open the calculator and press 7</source>
            <translation>打开计算器并按 7</translation>
        </message>
        <message>
            <source>Write a line in the text editor</source>
            <translation>在文本编辑器里写一行</translation>
        </message>
        <message>
            <source>Count the lines of a file</source>
            <translation>统计文件的行数</translation>
        </message>
        <message>
            <source>Say how many files there are</source>
            <translation>说出有多少个文件</translation>
        </message>
        <message>
            <source>Not now</source>
            <translation>暂不</translation>
        </message>
        <message>
            <source>Go on with it</source>
            <translation>继续执行</translation>
        </message>
        <message>
            <source>“%1” was interrupted. Nothing of it is lost.</source>
            <translation>“%1”被中断，内容没有丢失。</translation>
        </message>
        <message>
            <source>Welcome to Deskhand</source>
            <translation>欢迎使用 Deskhand</translation>
        </message>
        <message>
            <source>It has a desktop of its own: your mouse and windows stay yours.</source>
            <translation>它有自己的桌面：你的鼠标和窗口不受影响。</translation>
        </message>
        <message>
            <source>It asks before it runs commands, uses the network or touches other files.</source>
            <translation>运行命令、使用网络或触及其他文件前都会询问。</translation>
        </message>
        <message>
            <source>Every session is recorded here, and nowhere else. You can look back at each moment.</source>
            <translation>每个会话只记录在本机，可随时回看任意时刻。</translation>
        </message>
        <message>
            <source>The small model that comes along starts at once. A MiniMax-M3 folder is added in the settings.</source>
            <translation>自带的小模型可立即使用。可在设置中添加 MiniMax-M3 文件夹。</translation>
        </message>
        <message>
            <source>Show me: 30 seconds</source>
            <translation>演示一下：30 秒</translation>
        </message>
    </context>
    <context>
        <name>app::MachineCheck</name>
        <message>
            <source>Details</source>
            <translation>详细信息</translation>
        </message>
        <message>
            <source>The check could not be run.</source>
            <translation>无法运行检查。</translation>
        </message>
        <message>
            <source>Checking what works on this machine…</source>
            <translation>正在检查此计算机上可用的功能…</translation>
        </message>
        <message>
            <source>All that is needed works here (%1 of %2 checks).</source>
            <translation>所需的一切均可用（%2 项检查中 %1 项通过）。</translation>
        </message>
        <message>
            <source>Something that is needed doesn't work here.</source>
            <translation>某些必需的功能在此不可用。</translation>
        </message>
    </context>
    <context>
        <name>app::MainWindow</name>
        <message>
            <source>Nano</source>
            <translation>Nano</translation>
        </message>
        <message>
            <source>Deskhand asks for consent</source>
            <translation>Deskhand 请求许可</translation>
        </message>
        <message>
            <source>Deskhand has a question</source>
            <translation>Deskhand 有一个问题</translation>
        </message>
        <message>
            <source>Quit Deskhand?</source>
            <translation>退出 Deskhand？</translation>
        </message>
        <message numerus="yes">
            <source>%n sessions are running. Quitting stops them.</source>
            <translation>
                <numerusform>%n 个会话正在运行，退出会停止它们。</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>app::ModelPage</name>
        <message>
            <source>No model yet</source>
            <translation>还没有模型</translation>
        </message>
        <message>
            <source>Progress</source>
            <translation>进度</translation>
        </message>
        <message>
            <source>Context</source>
            <translation>上下文</translation>
        </message>
        <message>
            <source>Context used</source>
            <translation>已用上下文</translation>
        </message>
        <message>
            <source>Pictures in mind</source>
            <translation>记忆中的图片</translation>
        </message>
        <message>
            <source>Reading</source>
            <translation>读取速度</translation>
        </message>
        <message>
            <source>Writing</source>
            <translation>生成速度</translation>
        </message>
        <message>
            <source>Memory</source>
            <translation>内存</translation>
        </message>
        <message>
            <source>Runs on</source>
            <translation>运行于</translation>
        </message>
        <message>
            <source>What it looked at</source>
            <translation>它关注了什么</translation>
        </message>
        <message>
            <source>Layer</source>
            <translation>层</translation>
        </message>
        <message>
            <source>Draw it over the screen</source>
            <translation>叠加到屏幕上</translation>
        </message>
        <message>
            <source>Loading: %1</source>
            <translation>正在加载：%1</translation>
        </message>
        <message>
            <source>Reads %1 of %2 new tokens</source>
            <translation>正在读取 %1 / %2 个新词元</translation>
        </message>
        <message>
            <source>Reads</source>
            <translation>读取中</translation>
        </message>
        <message>
            <source>Writes</source>
            <translation>生成中</translation>
        </message>
        <message>
            <source>Rests</source>
            <translation>空闲</translation>
        </message>
        <message>
            <source>%1 of %2 tokens</source>
            <translation>%1 / %2 词元</translation>
        </message>
        <message>
            <source>%1, %2 tokens</source>
            <translation>%1 张，%2 词元</translation>
        </message>
        <message>
            <source>%1 tokens/s</source>
            <translation>%1 词元/秒</translation>
        </message>
        <message>
            <source>%1 weights, %2 cache</source>
            <translation>权重 %1，缓存 %2</translation>
        </message>
        <message>
            <source>All layers</source>
            <translation>所有层</translation>
        </message>
        <message>
            <source>Layer %1</source>
            <translation>第 %1 层</translation>
        </message>
        <message>
            <source>Draw it over the transcript</source>
            <translation>绘制在记录上</translation>
        </message>
        <message>
            <source>Loads %1 of %2</source>
            <translation>正在加载 %1 / %2</translation>
        </message>
        <message>
            <source>, %1/s, %2 left</source>
            <translation>，%1/秒，剩余 %2</translation>
        </message>
    </context>
    <context>
        <name>app::PlanView</name>
        <message>
            <source>Plan</source>
            <translation>计划</translation>
        </message>
        <message>
            <source>Show when this was worked on</source>
            <translation>显示执行此步的时刻</translation>
        </message>
        <message>
            <source>No plan yet. A task of several steps gets one.</source>
            <translation>还没有计划。多步骤的任务会有计划。</translation>
        </message>
    </context>
    <context>
        <name>app::QuestionPanel</name>
        <message>
            <source>Question of the model</source>
            <translation>模型的问题</translation>
        </message>
        <message>
            <source>Your answer</source>
            <translation>你的回答</translation>
        </message>
        <message>
            <source>No answer</source>
            <translation>不回答</translation>
        </message>
        <message>
            <source>Answer</source>
            <translation>回答</translation>
        </message>
    </context>
    <context>
        <name>app::ScreenPane</name>
        <message>
            <source>Back to live</source>
            <translation>回到实时</translation>
        </message>
        <message>
            <source>Compare before and after</source>
            <translation>比较前后</translation>
        </message>
        <message>
            <source>Zoom out</source>
            <translation>缩小</translation>
        </message>
        <message>
            <source>Zoom in</source>
            <translation>放大</translation>
        </message>
        <message>
            <source>Fit</source>
            <translation>适应窗口</translation>
        </message>
        <message>
            <source>Previous action</source>
            <translation>上一个操作</translation>
        </message>
        <message>
            <source>Play</source>
            <translation>播放</translation>
        </message>
        <message>
            <source>Next action</source>
            <translation>下一个操作</translation>
        </message>
        <message>
            <source>Hold</source>
            <translation>暂停播放</translation>
        </message>
        <message>
            <source>Speed</source>
            <translation>速度</translation>
        </message>
        <message>
            <source>No picture of a screen was recorded until here.</source>
            <translation>到此为止没有录到屏幕画面。</translation>
        </message>
        <message>
            <source>You have the wheel: click and type on the picture</source>
            <translation>由你操控：可在画面上点击和输入</translation>
        </message>
        <message>
            <source>Live</source>
            <translation>实时</translation>
        </message>
        <message>
            <source>Last picture</source>
            <translation>最后的画面</translation>
        </message>
        <message>
            <source>Run from here</source>
            <translation>从此处运行</translation>
        </message>
        <message>
            <source>A new session goes on from this moment</source>
            <translation>新会话从这一刻继续</translation>
        </message>
        <message>
            <source>Cut from here (I)</source>
            <translation>从此处剪切 (I)</translation>
        </message>
        <message>
            <source>Cut until here (O)</source>
            <translation>剪切到此处 (O)</translation>
        </message>
        <message>
            <source>Export the part</source>
            <translation>导出该部分</translation>
        </message>
        <message>
            <source>Forget the cut</source>
            <translation>放弃剪切</translation>
        </message>
    </context>
    <context>
        <name>app::ScreenView</name>
        <message>
            <source>Screen</source>
            <translation>屏幕</translation>
        </message>
        <message>
            <source>Before</source>
            <translation>之前</translation>
        </message>
        <message>
            <source>After</source>
            <translation>之后</translation>
        </message>
    </context>
    <context>
        <name>app::ServerForm</name>
        <message>
            <source>Address of the server</source>
            <translation>服务器地址</translation>
        </message>
        <message>
            <source>Key, if it wants one</source>
            <translation>密钥（如需要）</translation>
        </message>
        <message>
            <source>Key of the server</source>
            <translation>服务器密钥</translation>
        </message>
        <message>
            <source>Test</source>
            <translation>测试</translation>
        </message>
        <message>
            <source>Model of the server</source>
            <translation>服务器上的模型</translation>
        </message>
        <message>
            <source>Add this model</source>
            <translation>添加此模型</translation>
        </message>
        <message>
            <source>The server answers, but has no model.</source>
            <translation>服务器有响应，但没有模型。</translation>
        </message>
        <message>
            <source>Asking %1…</source>
            <translation>正在询问 %1…</translation>
        </message>
        <message numerus="yes">
            <source>It answers, and has %n models.</source>
            <translation>
                <numerusform>服务器有响应，有 %n 个模型。</numerusform>
            </translation>
        </message>
        <message>
            <source>%1 (%2 tokens)</source>
            <translation>%1（%2 个令牌）</translation>
        </message>
    </context>
    <context>
        <name>app::SessionPage</name>
        <message>
            <source>State of the session</source>
            <translation>会话状态</translation>
        </message>
        <message>
            <source>Take the wheel</source>
            <translation>接管</translation>
        </message>
        <message>
            <source>Pauses it, and lets you work on its desktop yourself</source>
            <translation>暂停它，由你亲自操作它的桌面</translation>
        </message>
        <message>
            <source>Pause</source>
            <translation>暂停</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>停止</translation>
        </message>
        <message>
            <source>Stops at once and lets go of mouse and keys (Ctrl+.)</source>
            <translation>立即停止并松开鼠标和按键 (Ctrl+.)</translation>
        </message>
        <message>
            <source>Go on with it</source>
            <translation>继续执行</translation>
        </message>
        <message>
            <source>Activity</source>
            <translation>活动</translation>
        </message>
        <message>
            <source>Plan</source>
            <translation>计划</translation>
        </message>
        <message>
            <source>Model</source>
            <translation>模型</translation>
        </message>
        <message>
            <source>Search in this session</source>
            <translation>在本会话中搜索</translation>
        </message>
        <message>
            <source>Export</source>
            <translation>导出</translation>
        </message>
        <message>
            <source>Export the session</source>
            <translation>导出会话</translation>
        </message>
        <message>
            <source>Exporting…</source>
            <translation>正在导出…</translation>
        </message>
        <message>
            <source>Starting…</source>
            <translation>正在启动…</translation>
        </message>
        <message>
            <source>Thinking</source>
            <translation>思考中</translation>
        </message>
        <message>
            <source>Acting</source>
            <translation>操作中</translation>
        </message>
        <message>
            <source>Waits for your answer</source>
            <translation>等待你的回答</translation>
        </message>
        <message>
            <source>Paused</source>
            <translation>已暂停</translation>
        </message>
        <message>
            <source>Finished</source>
            <translation>已结束</translation>
        </message>
        <message>
            <source>Ended</source>
            <translation>已关闭</translation>
        </message>
        <message>
            <source>Go on</source>
            <translation>继续</translation>
        </message>
        <message>
            <source>Give it back</source>
            <translation>交还</translation>
        </message>
        <message>
            <source>Plan (%1)</source>
            <translation>计划 (%1)</translation>
        </message>
        <message>
            <source>Close session</source>
            <translation>关闭会话</translation>
        </message>
        <message>
            <source>Closes this session; it stays in the list (Ctrl+W)</source>
            <translation>关闭此会话；它仍保留在列表中 (Ctrl+W)</translation>
        </message>
        <message>
            <source>Close this session?</source>
            <translation>关闭此会话？</translation>
        </message>
        <message>
            <source>This session is running. Closing stops it; what it has done stays in the list.</source>
            <translation>此会话正在运行，关闭会停止它；已完成的内容仍保留在列表中。</translation>
        </message>
        <message>
            <source>Keep working</source>
            <translation>继续工作</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>关闭</translation>
        </message>
    </context>
    <context>
        <name>app::SettingsPage</name>
        <message>
            <source>Settings</source>
            <translation>设置</translation>
        </message>
        <message>
            <source>Search settings</source>
            <translation>搜索设置</translation>
        </message>
        <message>
            <source>Appearance</source>
            <translation>外观</translation>
        </message>
        <message>
            <source>As the desktop</source>
            <translation>跟随桌面</translation>
        </message>
        <message>
            <source>Light</source>
            <translation>浅色</translation>
        </message>
        <message>
            <source>Dark</source>
            <translation>深色</translation>
        </message>
        <message>
            <source>Theme</source>
            <translation>主题</translation>
        </message>
        <message>
            <source>Language</source>
            <translation>语言</translation>
        </message>
        <message>
            <source>Work</source>
            <translation>工作</translation>
        </message>
        <message>
            <source>At once</source>
            <translation>立即</translation>
        </message>
        <message>
            <source>A moment</source>
            <translation>片刻</translation>
        </message>
        <message>
            <source>Slowly</source>
            <translation>慢速</translation>
        </message>
        <message>
            <source>Show each action before it happens</source>
            <translation>操作前先显示</translation>
        </message>
        <message>
            <source>Its target is drawn on the picture for so long.</source>
            <translation>目标会在画面上显示这么久。</translation>
        </message>
        <message>
            <source>Notifications</source>
            <translation>通知</translation>
        </message>
        <message>
            <source>When a session has finished or waits for you, and the window isn't in front.</source>
            <translation>会话结束或等待你，且窗口不在最前时。</translation>
        </message>
        <message>
            <source>Network for commands</source>
            <translation>命令可用网络</translation>
        </message>
        <message>
            <source>Off: commands run without any network. On: each use is still judged by the rules below.</source>
            <translation>关：命令完全不能联网。开：每次使用仍受下方规则约束。</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>模型</translation>
        </message>
        <message>
            <source>Add a folder…</source>
            <translation>添加文件夹…</translation>
        </message>
        <message>
            <source>A MiniMax-M3 checkpoint</source>
            <translation>MiniMax-M3 检查点</translation>
        </message>
        <message>
            <source>MiniMax-M3 on this machine</source>
            <translation>本机上的 MiniMax-M3</translation>
        </message>
        <message>
            <source>A folder with config.json, weights, tokenizer.json and chat_template.jinja.</source>
            <translation>包含 config.json、权重、tokenizer.json 和 chat_template.jinja 的文件夹。</translation>
        </message>
        <message>
            <source>Forget %1</source>
            <translation>移除 %1</translation>
        </message>
        <message>
            <source>Permissions</source>
            <translation>权限</translation>
        </message>
        <message>
            <source>Allow</source>
            <translation>允许</translation>
        </message>
        <message>
            <source>Ask</source>
            <translation>询问</translation>
        </message>
        <message>
            <source>Deny</source>
            <translation>拒绝</translation>
        </message>
        <message>
            <source>What the model does: %1</source>
            <translation>模型的行为：%1</translation>
        </message>
        <message>
            <source>The model %1</source>
            <translation>模型：%1</translation>
        </message>
        <message>
            <source>never so far</source>
            <translation>至今从未</translation>
        </message>
        <message numerus="yes">
            <source>%n times so far</source>
            <translation>
                <numerusform>至今 %n 次</numerusform>
            </translation>
        </message>
        <message>
            <source>Your data</source>
            <translation>你的数据</translation>
        </message>
        <message>
            <source>Sessions</source>
            <translation>会话</translation>
        </message>
        <message>
            <source>Export…</source>
            <translation>导出…</translation>
        </message>
        <message>
            <source>Import…</source>
            <translation>导入…</translation>
        </message>
        <message>
            <source>Export settings</source>
            <translation>导出设置</translation>
        </message>
        <message>
            <source>Import settings</source>
            <translation>导入设置</translation>
        </message>
        <message>
            <source>Nothing leaves this machine</source>
            <translation>数据不会离开本机</translation>
        </message>
        <message>
            <source>No account, no telemetry. Only a model server that you name yourself, and the network where you allow it.</source>
            <translation>无需账户，没有遥测。只有你自己指定的模型服务器，以及你允许的网络。</translation>
        </message>
        <message>
            <source>Test</source>
            <translation>测试</translation>
        </message>
        <message>
            <source>Test %1</source>
            <translation>测试 %1</translation>
        </message>
        <message>
            <source>Model servers</source>
            <translation>模型服务器</translation>
        </message>
        <message>
            <source>A server that speaks OpenAI's language</source>
            <translation>兼容 OpenAI 接口的服务器</translation>
        </message>
        <message>
            <source>vLLM, SGLang and llama.cpp do. What the model sees and reads is sent there, and nowhere else.</source>
            <translation>例如 vLLM、SGLang 和 llama.cpp。模型所见所读只会发送到那里。</translation>
        </message>
        <message>
            <source>This machine</source>
            <translation>此计算机</translation>
        </message>
        <message>
            <source>Check now</source>
            <translation>立即检查</translation>
        </message>
        <message>
            <source>What works here</source>
            <translation>此处可用的功能</translation>
        </message>
        <message>
            <source>Tries all that Deskhand needs, and says what to do where it fails.</source>
            <translation>尝试 Deskhand 所需的一切，并说明失败时该怎么办。</translation>
        </message>
        <message>
            <source>Lasting answers</source>
            <translation>长期答复</translation>
        </message>
        <message>
            <source>What you answered with “Always”. What you forget here is asked again.</source>
            <translation>您以“始终”作出的答复。在此删除的将再次询问。</translation>
        </message>
        <message>
            <source>Allowed: the model %1</source>
            <translation>已允许：模型%1</translation>
        </message>
        <message>
            <source>Denied: the model %1</source>
            <translation>已拒绝：模型%1</translation>
        </message>
    </context>
    <context>
        <name>app::Sidebar</name>
        <message>
            <source>New task</source>
            <translation>新任务</translation>
        </message>
        <message>
            <source>Ctrl+N</source>
            <translation>Ctrl+N</translation>
        </message>
        <message>
            <source>Search sessions</source>
            <translation>搜索会话</translation>
        </message>
        <message>
            <source>Sessions</source>
            <translation>会话</translation>
        </message>
        <message>
            <source>Settings</source>
            <translation>设置</translation>
        </message>
    </context>
    <context>
        <name>app::TimelineView</name>
        <message>
            <source>Timeline</source>
            <translation>时间线</translation>
        </message>
        <message>
            <source>Arrow keys step from action to action, Space plays, End goes to the present; I and O cut out a part, Escape forgets it</source>
            <translation>方向键逐个操作移动，空格键播放，End 键回到当前；I 和 O 剪切出一部分，Esc 放弃</translation>
        </message>
    </context>
    <context>
        <name>app::TranscriptView</name>
        <message>
            <source>Transcript</source>
            <translation>记录</translation>
        </message>
    </context>
    <context>
        <name>app::TrayIcon</name>
        <message>
            <source>Show the window</source>
            <translation>显示窗口</translation>
        </message>
        <message>
            <source>Stop everything</source>
            <translation>全部停止</translation>
        </message>
        <message>
            <source>Quit</source>
            <translation>退出</translation>
        </message>
        <message numerus="yes">
            <source>%n sessions wait for you</source>
            <translation>
                <numerusform>%n 个会话在等你</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n sessions at work</source>
            <translation>
                <numerusform>%n 个会话正在工作</numerusform>
            </translation>
        </message>
        <message>
            <source>Nothing is running</source>
            <translation>没有运行中的会话</translation>
        </message>
    </context>
</TS>
