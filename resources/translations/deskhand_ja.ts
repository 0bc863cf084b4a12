<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="ja" sourcelanguage="en">
    <context>
        <name>Calls</name>
        <message>
            <source>Move to %1</source>
            <translation>%1 へ移動</translation>
        </message>
        <message>
            <source>Press the button at %1</source>
            <translation>%1 でボタンを押す</translation>
        </message>
        <message>
            <source>Release the button at %1</source>
            <translation>%1 でボタンを離す</translation>
        </message>
        <message>
            <source>Drag from %1 to %2</source>
            <translation>%1 から %2 へドラッグ</translation>
        </message>
        <message>
            <source>Scroll down</source>
            <translation>下へスクロール</translation>
        </message>
        <message>
            <source>Scroll up</source>
            <translation>上へスクロール</translation>
        </message>
        <message>
            <source>Scroll right</source>
            <translation>右へスクロール</translation>
        </message>
        <message>
            <source>Scroll left</source>
            <translation>左へスクロール</translation>
        </message>
        <message>
            <source>Type “%1”</source>
            <translation>「%1」と入力</translation>
        </message>
        <message>
            <source>Hold %1</source>
            <translation>%1 を押し続ける</translation>
        </message>
        <message>
            <source>Release %1</source>
            <translation>%1 を離す</translation>
        </message>
        <message>
            <source>Press %1</source>
            <translation>%1 を押す</translation>
        </message>
        <message>
            <source>List the windows</source>
            <translation>ウィンドウを一覧</translation>
        </message>
        <message>
            <source>Wait for the window %1</source>
            <translation>ウィンドウ %1 を待つ</translation>
        </message>
        <message>
            <source>Close the window %1</source>
            <translation>ウィンドウ %1 を閉じる</translation>
        </message>
        <message>
            <source>Switch to the window %1</source>
            <translation>ウィンドウ %1 に切り替え</translation>
        </message>
        <message>
            <source>Arrange the window %1</source>
            <translation>ウィンドウ %1 を配置</translation>
        </message>
        <message>
            <source>Run a command</source>
            <translation>コマンドを実行</translation>
        </message>
        <message>
            <source>Look after a running command</source>
            <translation>実行中のコマンドを確認</translation>
        </message>
        <message>
            <source>Open %1</source>
            <translation>%1 を開く</translation>
        </message>
        <message>
            <source>Look closer</source>
            <translation>拡大して見る</translation>
        </message>
        <message>
            <source>Look at the screen</source>
            <translation>画面を見る</translation>
        </message>
        <message>
            <source>Wait</source>
            <translation>待つ</translation>
        </message>
        <message>
            <source>Read the widgets</source>
            <translation>ウィジェットを読む</translation>
        </message>
        <message>
            <source>Use the clipboard</source>
            <translation>クリップボードを使う</translation>
        </message>
        <message>
            <source>Make a plan</source>
            <translation>計画を立てる</translation>
        </message>
        <message>
            <source>Ask you</source>
            <translation>質問する</translation>
        </message>
        <message>
            <source>Give up</source>
            <translation>あきらめる</translation>
        </message>
        <message>
            <source>Fetch %1</source>
            <translation>%1 を取得</translation>
        </message>
        <message>
            <source>Read %1</source>
            <translation>%1 を読む</translation>
        </message>
        <message>
            <source>Write %1</source>
            <translation>%1 を書く</translation>
        </message>
        <message>
            <source>Edit %1</source>
            <translation>%1 を編集</translation>
        </message>
        <message>
            <source>List %1</source>
            <translation>%1 を一覧</translation>
        </message>
        <message>
            <source>Search %1</source>
            <translation>%1 を検索</translation>
        </message>
        <message>
            <source>Change files</source>
            <translation>ファイルを変更</translation>
        </message>
        <message>
            <source>Undo an edit</source>
            <translation>編集を取り消す</translation>
        </message>
        <message>
            <source>only looks</source>
            <translation>見るだけ</translation>
        </message>
        <message>
            <source>reads files of the workspace</source>
            <translation>作業フォルダーのファイルを読む</translation>
        </message>
        <message>
            <source>reads files outside the workspace</source>
            <translation>作業フォルダー外のファイルを読む</translation>
        </message>
        <message>
            <source>works its own desktop</source>
            <translation>専用デスクトップを操作する</translation>
        </message>
        <message>
            <source>works your desktop</source>
            <translation>あなたのデスクトップを操作する</translation>
        </message>
        <message>
            <source>changes files of the workspace</source>
            <translation>作業フォルダーのファイルを変更する</translation>
        </message>
        <message>
            <source>changes files outside the workspace</source>
            <translation>作業フォルダー外のファイルを変更する</translation>
        </message>
        <message>
            <source>runs a command</source>
            <translation>コマンドを実行する</translation>
        </message>
        <message>
            <source>uses the network</source>
            <translation>ネットワークを使う</translation>
        </message>
        <message>
            <source>confirmed</source>
            <translation>確認済み</translation>
        </message>
        <message>
            <source>partly seen</source>
            <translation>一部確認</translation>
        </message>
        <message>
            <source>no effect</source>
            <translation>効果なし</translation>
        </message>
        <message>
            <source>not verifiable</source>
            <translation>検証不可</translation>
        </message>
        <message>
            <source>refused</source>
            <translation>拒否</translation>
        </message>
        <message>
            <source>Done</source>
            <translation>完了</translation>
        </message>
        <message>
            <source>Gave up</source>
            <translation>断念</translation>
        </message>
        <message>
            <source>Stuck</source>
            <translation>行き詰まり</translation>
        </message>
        <message>
            <source>Not allowed</source>
            <translation>許可なし</translation>
        </message>
        <message>
            <source>Stopped</source>
            <translation>停止</translation>
        </message>
        <message>
            <source>Failed</source>
            <translation>失敗</translation>
        </message>
        <message>
            <source>Running</source>
            <translation>実行中</translation>
        </message>
        <message>
            <source>Interrupted</source>
            <translation>中断</translation>
        </message>
        <message>
            <source>Double click at %1</source>
            <translation>%1 をダブルクリック</translation>
        </message>
        <message>
            <source>Right click at %1</source>
            <translation>%1 を右クリック</translation>
        </message>
        <message>
            <source>Middle click at %1</source>
            <translation>%1 を中クリック</translation>
        </message>
        <message>
            <source>Click</source>
            <translation>クリック</translation>
        </message>
        <message>
            <source>Click at %1</source>
            <translation>%1 をクリック</translation>
        </message>
        <message>
            <source>destroys something</source>
            <translation>何かを壊す</translation>
        </message>
        <message>
            <source>touches credentials</source>
            <translation>認証情報に触れる</translation>
        </message>
        <message>
            <source>spends money</source>
            <translation>お金を使う</translation>
        </message>
        <message>
            <source>gains more rights</source>
            <translation>権限を増やす</translation>
        </message>
    </context>
    <context>
        <name>Checks</name>
        <message>
            <source>Your display</source>
            <translation>お使いの画面</translation>
        </message>
        <message>
            <source>Mouse and keys on it</source>
            <translation>そのマウスとキー</translation>
        </message>
        <message>
            <source>A desktop of its own</source>
            <translation>専用デスクトップ</translation>
        </message>
        <message>
            <source>Reading widgets</source>
            <translation>部品の読み取り</translation>
        </message>
        <message>
            <source>Commands in a sandbox</source>
            <translation>サンドボックスでのコマンド</translation>
        </message>
        <message>
            <source>Programs</source>
            <translation>プログラム</translation>
        </message>
        <message>
            <source>The small model</source>
            <translation>小さなモデル</translation>
        </message>
        <message>
            <source>GPU</source>
            <translation>GPU</translation>
        </message>
        <message>
            <source>The record</source>
            <translation>記録</translation>
        </message>
        <message>
            <source>Disk</source>
            <translation>ディスク</translation>
        </message>
        <message>
            <source>Desktop portal</source>
            <translation>デスクトップポータル</translation>
        </message>
        <message>
            <source>Keyring</source>
            <translation>キーリング</translation>
        </message>
        <message>
            <source>log in to an X11 session</source>
            <translation>X11 セッションにログインしてください</translation>
        </message>
        <message>
            <source>log in to an X11 session for --desktop mine</source>
            <translation>--desktop mine には X11 セッションへのログインが必要です</translation>
        </message>
        <message>
            <source>a Wayland session without X11</source>
            <translation>X11 のない Wayland セッション</translation>
        </message>
        <message>
            <source>no display here</source>
            <translation>ディスプレイがありません</translation>
        </message>
        <message>
            <source>private desktops work all the same; --desktop mine needs an X11 session</source>
            <translation>専用デスクトップは使えます。--desktop mine には X11 セッションが必要です</translation>
        </message>
        <message>
            <source>X11 programs of a Wayland session (%1, %2)</source>
            <translation>Wayland セッション内の X11 プログラム (%1, %2)</translation>
        </message>
        <message>
            <source>only X11 windows can be seen and worked; log in to an X11 session for --desktop mine</source>
            <translation>見て操作できるのは X11 のウィンドウだけです。--desktop mine には X11 セッションへのログインが必要です</translation>
        </message>
        <message>
            <source>X11 display %1, %2</source>
            <translation>X11 ディスプレイ %1, %2</translation>
        </message>
        <message>
            <source>no display to try it on</source>
            <translation>試せるディスプレイがありません</translation>
        </message>
        <message>
            <source>work on a private desktop, which has a window manager and no input method</source>
            <translation>専用デスクトップを使ってください。ウィンドウマネージャーがあり、入力メソッドはありません</translation>
        </message>
        <message>
            <source>the input helper works %1 through XTest</source>
            <translation>入力ヘルパーが XTest で %1 を操作できます</translation>
        </message>
        <message>
            <source>install xvfb, xauth, openbox, dbus, dbus-x11, at-spi2-core and x11-xkb-utils</source>
            <translation>xvfb、xauth、openbox、dbus、dbus-x11、at-spi2-core、x11-xkb-utils をインストールしてください</translation>
        </message>
        <message>
            <source>starts, is seen, and takes keys (%1)</source>
            <translation>起動し、表示され、キーを受け付けます (%1)</translation>
        </message>
        <message>
            <source>install at-spi2-core and libatk-adaptor</source>
            <translation>at-spi2-core と libatk-adaptor をインストールしてください</translation>
        </message>
        <message>
            <source>the accessibility bus of a private desktop answers</source>
            <translation>専用デスクトップのアクセシビリティバスが応答します</translation>
        </message>
        <message>
            <source>install bubblewrap, and allow user namespaces</source>
            <translation>bubblewrap をインストールし、ユーザー名前空間を許可してください</translation>
        </message>
        <message>
            <source>a command ran in bubblewrap</source>
            <translation>bubblewrap でコマンドを実行できました</translation>
        </message>
        <message>
            <source>mousepad, mate-calc, Xephyr and ripgrep are there</source>
            <translation>mousepad、mate-calc、Xephyr、ripgrep があります</translation>
        </message>
        <message>
            <source>missing: %1</source>
            <translation>不足: %1</translation>
        </message>
        <message>
            <source>install mousepad, mate-calc (demonstration, calibrate), xserver-xephyr (--watch), ripgrep (search)</source>
            <translation>mousepad、mate-calc (デモ、calibrate)、xserver-xephyr (--watch)、ripgrep (検索) をインストールしてください</translation>
        </message>
        <message>
            <source>no NVIDIA GPU: models run on the processor</source>
            <translation>NVIDIA GPU がないため、モデルは CPU で動きます</translation>
        </message>
        <message>
            <source>the small model needs none; for MiniMax-M3 use a GPU, or a server by --model http://…</source>
            <translation>小さなモデルには不要です。MiniMax-M3 には GPU か、--model http://… でサーバーを使ってください</translation>
        </message>
        <message>
            <source>an NVIDIA GPU, but Deskhand was built without CUDA</source>
            <translation>NVIDIA GPU はありますが、Deskhand は CUDA なしでビルドされています</translation>
        </message>
        <message>
            <source>install the CUDA toolkit (nvcc) and build again</source>
            <translation>CUDA ツールキット (nvcc) をインストールしてビルドし直してください</translation>
        </message>
        <message>
            <source>an NVIDIA GPU and the kernels for it</source>
            <translation>NVIDIA GPU とそのカーネルがあります</translation>
        </message>
        <message>
            <source>%1 loads from %2</source>
            <translation>%1 を %2 から読み込めます</translation>
        </message>
        <message>
            <source>install Deskhand again</source>
            <translation>Deskhand を再インストールしてください</translation>
        </message>
        <message>
            <source>no D-Bus session</source>
            <translation>D-Bus セッションがありません</translation>
        </message>
        <message>
            <source>only needed for Wayland desktops</source>
            <translation>Wayland デスクトップでのみ必要です</translation>
        </message>
        <message>
            <source>no desktop portal runs</source>
            <translation>デスクトップポータルが動いていません</translation>
        </message>
        <message>
            <source>only needed for Wayland desktops: install xdg-desktop-portal</source>
            <translation>Wayland デスクトップでのみ必要です。xdg-desktop-portal をインストールしてください</translation>
        </message>
        <message>
            <source>a desktop portal runs</source>
            <translation>デスクトップポータルが動いています</translation>
        </message>
        <message>
            <source>%1 can be read and written</source>
            <translation>%1 を読み書きできます</translation>
        </message>
        <message>
            <source>see the message</source>
            <translation>メッセージを確認してください</translation>
        </message>
        <message>
            <source>%1 can&apos;t be looked at</source>
            <translation>%1 を調べられません</translation>
        </message>
        <message>
            <source>make it a folder of yours</source>
            <translation>自分のフォルダーにしてください</translation>
        </message>
        <message>
            <source>%1 GiB free in %2</source>
            <translation>%2 の空き容量は %1 GiB です</translation>
        </message>
        <message>
            <source>free some: sessions record what was seen</source>
            <translation>空きを増やしてください。セッションは見た内容を記録します</translation>
        </message>
        <message>
            <source>free some space</source>
            <translation>空きを増やしてください</translation>
        </message>
        <message>
            <source>secret-tool is there for keys and passwords</source>
            <translation>キーとパスワード用の secret-tool があります</translation>
        </message>
        <message>
            <source>no secret-tool: keys and passwords come from files (mode 0600) or the environment</source>
            <translation>secret-tool がないため、キーとパスワードはファイル (モード 0600) か環境変数から読みます</translation>
        </message>
        <message>
            <source>install libsecret-tools to keep them in the keyring</source>
            <translation>キーリングに保存するには libsecret-tools をインストールしてください</translation>
        </message>
    </context>
    <context>
        <name>Export</name>
        <message>
            <source>Report (HTML)</source>
            <translation>レポート (HTML)</translation>
        </message>
        <message>
            <source>Film (MP4)</source>
            <translation>動画 (MP4)</translation>
        </message>
        <message>
            <source>Zip file with pictures and events</source>
            <translation>画像とイベントの Zip ファイル</translation>
        </message>
        <message>
            <source>Folder with pictures and events</source>
            <translation>画像とイベントのフォルダー</translation>
        </message>
        <message>
            <source>Workflow that can be replayed</source>
            <translation>再生できるワークフロー</translation>
        </message>
        <message>
            <source>Exported to %1</source>
            <translation>%1 に書き出しました</translation>
        </message>
    </context>
    <context>
        <name>Transcript</name>
        <message numerus="yes">
            <source>… %n more lines …</source>
            <translation>
                <numerusform>… ほか %n 行 …</numerusform>
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
            <translation>拒否</translation>
        </message>
        <message>
            <source>running</source>
            <translation>実行中</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>失敗</translation>
        </message>
        <message numerus="yes">
            <source>%n actions</source>
            <translation>
                <numerusform>操作 %n 件</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n without a clear effect</source>
            <translation>
                <numerusform>うち %n 件は明確な効果なし</numerusform>
            </translation>
        </message>
        <message>
            <source>“%1” was read by %2</source>
            <translation>「%1」は %2 が読み取ったもの</translation>
        </message>
        <message>
            <source>Every claim that cites results is proven by them.</source>
            <translation>結果を引用した主張はすべて裏付けられています。</translation>
        </message>
        <message>
            <source>Not proven: “%1” (%2)</source>
            <translation>裏付けなし:「%1」(%2)</translation>
        </message>
    </context>
    <context>
        <name>app::AgentBridge</name>
        <message>
            <source>Loading the model…</source>
            <translation>モデルを読み込んでいます…</translation>
        </message>
        <message>
            <source>Opening the desktop…</source>
            <translation>デスクトップを開いています…</translation>
        </message>
        <message>
            <source>Asking the model's server…</source>
            <translation>モデルのサーバーに問い合わせ中…</translation>
        </message>
    </context>
    <context>
        <name>app::ApprovalPanel</name>
        <message>
            <source>Question of consent</source>
            <translation>許可の確認</translation>
        </message>
        <message>
            <source>What exactly would be done</source>
            <translation>実行される正確な内容</translation>
        </message>
        <message>
            <source>If not: why, or what instead? The model reads it.</source>
            <translation>不許可の理由（モデルが読みます）</translation>
        </message>
        <message>
            <source>Reason for the model</source>
            <translation>モデルへの理由</translation>
        </message>
        <message>
            <source>Deny</source>
            <translation>拒否</translation>
        </message>
        <message>
            <source>For this session</source>
            <translation>このセッション中</translation>
        </message>
        <message>
            <source>Always</source>
            <translation>常に</translation>
        </message>
        <message>
            <source>Allow once</source>
            <translation>一度だけ許可</translation>
        </message>
        <message>
            <source>Allow this? %1</source>
            <translation>許可しますか？ %1</translation>
        </message>
        <message>
            <source>You are asked, because it looks as if it destroyed something.</source>
            <translation>確認が必要な理由：何かを壊すおそれがあります。</translation>
        </message>
        <message>
            <source>You are asked, because it looks as if it touched passwords or keys.</source>
            <translation>確認が必要な理由：パスワードや鍵に触れるおそれがあります。</translation>
        </message>
        <message>
            <source>You are asked, because it looks as if it spent money.</source>
            <translation>確認が必要な理由：お金を使うおそれがあります。</translation>
        </message>
        <message>
            <source>You are asked, because it looks as if it took an administrator&apos;s rights.</source>
            <translation>確認が必要な理由：管理者権限を得るおそれがあります。</translation>
        </message>
        <message>
            <source>You are asked, because it types a secret.</source>
            <translation>確認が必要な理由：秘密の値を入力します。</translation>
        </message>
        <message>
            <source>You are asked each time, because a part of it was read by %1.</source>
            <translation>毎回確認します：一部は %1 が読み取ったものです。</translation>
        </message>
        <message>
            <source>You are asked, because it %1.</source>
            <translation>確認が必要な理由：%1。</translation>
        </message>
        <message>
            <source>It would hit: %1</source>
            <translation>対象：%1</translation>
        </message>
        <message>
            <source>Allows from now on: %1</source>
            <translation>今後許可：%1</translation>
        </message>
        <message>
            <source>%1 was read by %2</source>
            <translation>%1 は %2 が読み取ったもの</translation>
        </message>
        <message>
            <source>Where parts of the command come from</source>
            <translation>コマンドの一部の出所</translation>
        </message>
        <message>
            <source>Allow %1 of %2</source>
            <translation>%2 件中 %1 件を許可</translation>
        </message>
        <message numerus="yes">
            <source>%n changes, shown at the left. Those that you untick are left out, and the model is told.</source>
            <translation>
                <numerusform>左に %n 件の変更を表示しています。チェックを外したものは行われず、モデルに伝えられます。</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>app::BlockStrip</name>
        <message>
            <source>Blocks that the model chose</source>
            <translation>モデルが選んだブロック</translation>
        </message>
        <message>
            <source>Tokens %1 to %2: chosen by %3 %</source>
            <translation>トークン %1～%2：%3 % が選択</translation>
        </message>
    </context>
    <context>
        <name>app::BranchPanel</name>
        <message>
            <source>Run from here</source>
            <translation>ここから実行</translation>
        </message>
        <message>
            <source>It remembers all until there. Its desktop is a new one, and files are as they are now.</source>
            <translation>それまでのことはすべて覚えています。デスクトップは新しくなり、ファイルは現在のままです。</translation>
        </message>
        <message>
            <source>What should be done from here?</source>
            <translation>ここから何をしますか?</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>キャンセル</translation>
        </message>
        <message>
            <source>Run</source>
            <translation>実行</translation>
        </message>
        <message>
            <source>A new session goes on from %1</source>
            <translation>%1 から新しいセッションを続けます</translation>
        </message>
    </context>
    <context>
        <name>app::Composer</name>
        <message>
            <source>What should be done?</source>
            <translation>何をしますか？</translation>
        </message>
        <message>
            <source>What should be done next?</source>
            <translation>次は何をしますか？</translation>
        </message>
        <message>
            <source>Task</source>
            <translation>タスク</translation>
        </message>
        <message>
            <source>Start</source>
            <translation>開始</translation>
        </message>
        <message>
            <source>Go on</source>
            <translation>続ける</translation>
        </message>
        <message>
            <source>Its own desktop</source>
            <translation>専用デスクトップ</translation>
        </message>
        <message>
            <source>My desktop</source>
            <translation>自分のデスクトップ</translation>
        </message>
        <message>
            <source>Files and commands only</source>
            <translation>ファイルとコマンドのみ</translation>
        </message>
        <message>
            <source>Attach files</source>
            <translation>ファイルを添付</translation>
        </message>
        <message>
            <source>Files only</source>
            <translation>ファイルのみ</translation>
        </message>
        <message>
            <source>Where: %1</source>
            <translation>場所：%1</translation>
        </message>
        <message>
            <source>Where the task is done</source>
            <translation>タスクを行う場所</translation>
        </message>
        <message>
            <source>No model</source>
            <translation>モデルなし</translation>
        </message>
        <message>
            <source>Model: %1</source>
            <translation>モデル：%1</translation>
        </message>
        <message>
            <source>Which model does it</source>
            <translation>実行するモデル</translation>
        </message>
        <message>
            <source>No folder</source>
            <translation>フォルダーなし</translation>
        </message>
        <message>
            <source>Folder: %1</source>
            <translation>フォルダー：%1</translation>
        </message>
        <message>
            <source>The folder to work in</source>
            <translation>作業フォルダー</translation>
        </message>
        <message>
            <source>%1
Click to remove it</source>
            <translation>%1
クリックで外す</translation>
        </message>
        <message>
            <source>Attached: %1</source>
            <translation>添付：%1</translation>
        </message>
        <message>
            <source>File: %1</source>
            <translation>ファイル：%1</translation>
        </message>
    </context>
    <context>
        <name>app::EditReview</name>
        <message>
            <source>Changes of files</source>
            <translation>ファイルの変更</translation>
        </message>
        <message>
            <source>Side by side</source>
            <translation>左右に並べる</translation>
        </message>
        <message>
            <source>Inline</source>
            <translation>上下に並べる</translation>
        </message>
        <message>
            <source>Back to the screen</source>
            <translation>画面に戻る</translation>
        </message>
        <message numerus="yes">
            <source>Changes to %n files: untick what should be left out</source>
            <translation>
                <numerusform>%n 個のファイルの変更: 行わないもののチェックを外してください</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>Changes to %n files</source>
            <translation>
                <numerusform>%n 個のファイルの変更</numerusform>
            </translation>
        </message>
        <message>
            <source>new file</source>
            <translation>新しいファイル</translation>
        </message>
        <message>
            <source>will be deleted</source>
            <translation>削除されます</translation>
        </message>
        <message>
            <source>moves to %1</source>
            <translation>%1 へ移動</translation>
        </message>
        <message>
            <source>Lines %1 to %2</source>
            <translation>%1～%2 行目</translation>
        </message>
        <message>
            <source>This change</source>
            <translation>この変更</translation>
        </message>
        <message>
            <source>Take the change of %1, %2</source>
            <translation>%1 の変更を行う、%2</translation>
        </message>
    </context>
    <context>
        <name>app::HomePage</name>
        <message>
            <source>What should be done?</source>
            <translation>何をしますか？</translation>
        </message>
        <message>
            <source>It works on a desktop of its own, shows you each step, and asks before anything that matters.</source>
            <translation>専用のデスクトップで作業し、各手順を見せ、重要な操作の前に確認します。</translation>
        </message>
        <message>
            <source>Try one of these</source>
            <translation>試してみる</translation>
        </message>
        <message>
            <source>Open the calculator and press 7</source>
            <translation>電卓を開いて 7 を押す</translation>
        </message>
        <message>
            <source>Write a line in the text editor</source>
            <translation>テキストエディターに一行書く</translation>
        </message>
        <message>
            <source>Count the lines of a file</source>
            <translation>ファイルの行数を数える</translation>
        </message>
        <message>
            <source>Say how many files there are</source>
            <translation>ファイルの数を答える</translation>
        </message>
        <message>
            <source>Not now</source>
            <translation>今はしない</translation>
        </message>
        <message>
            <source>Go on with it</source>
            <translation>再開する</translation>
        </message>
        <message>
            <source>“%1” was interrupted. Nothing of it is lost.</source>
            <translation>「%1」は中断されました。何も失われていません。</translation>
        </message>
        <message>
            <source>Welcome to Deskhand</source>
            <translation>Deskhand へようこそ</translation>
        </message>
        <message>
            <source>It has a desktop of its own: your mouse and windows stay yours.</source>
            <translation>専用のデスクトップで動くため、あなたのマウスやウィンドウはそのままです。</translation>
        </message>
        <message>
            <source>It asks before it runs commands, uses the network or touches other files.</source>
            <translation>コマンドの実行、ネットワークの使用、ほかのファイルの操作の前に確認します。</translation>
        </message>
        <message>
            <source>Every session is recorded here, and nowhere else. You can look back at each moment.</source>
            <translation>各セッションはここだけに記録され、どの瞬間も見返せます。</translation>
        </message>
        <message>
            <source>The small model that comes along starts at once. A MiniMax-M3 folder is added in the settings.</source>
            <translation>付属の小さなモデルがすぐに使えます。MiniMax-M3 のフォルダーは設定で追加します。</translation>
        </message>
        <message>
            <source>Show me: 30 seconds</source>
            <translation>30 秒のデモを見る</translation>
        </message>
    </context>
    <context>
        <name>app::MachineCheck</name>
        <message>
            <source>Details</source>
            <translation>詳細</translation>
        </message>
        <message>
            <source>The check could not be run.</source>
            <translation>確認を実行できませんでした。</translation>
        </message>
        <message>
            <source>Checking what works on this machine…</source>
            <translation>このマシンで何が動くか確認中…</translation>
        </message>
        <message>
            <source>All that is needed works here (%1 of %2 checks).</source>
            <translation>必要なものはすべて動きます (%2 件中 %1 件)。</translation>
        </message>
        <message>
            <source>Something that is needed doesn't work here.</source>
            <translation>必要なものの一部が動きません。</translation>
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
            <translation>Deskhand が許可を求めています</translation>
        </message>
        <message>
            <source>Deskhand has a question</source>
            <translation>Deskhand から質問があります</translation>
        </message>
        <message>
            <source>Quit Deskhand?</source>
            <translation>Deskhand を終了しますか？</translation>
        </message>
        <message numerus="yes">
            <source>%n sessions are running. Quitting stops them.</source>
            <translation>
                <numerusform>%n 個のセッションが実行中です。終了すると停止します。</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>app::ModelPage</name>
        <message>
            <source>No model yet</source>
            <translation>モデルはまだありません</translation>
        </message>
        <message>
            <source>Progress</source>
            <translation>進行状況</translation>
        </message>
        <message>
            <source>Context</source>
            <translation>コンテキスト</translation>
        </message>
        <message>
            <source>Context used</source>
            <translation>使用中のコンテキスト</translation>
        </message>
        <message>
            <source>Pictures in mind</source>
            <translation>保持中の画像</translation>
        </message>
        <message>
            <source>Reading</source>
            <translation>読み取り</translation>
        </message>
        <message>
            <source>Writing</source>
            <translation>書き出し</translation>
        </message>
        <message>
            <source>Memory</source>
            <translation>メモリ</translation>
        </message>
        <message>
            <source>Runs on</source>
            <translation>実行場所</translation>
        </message>
        <message>
            <source>What it looked at</source>
            <translation>注目した箇所</translation>
        </message>
        <message>
            <source>Layer</source>
            <translation>層</translation>
        </message>
        <message>
            <source>Draw it over the screen</source>
            <translation>画面に重ねて表示</translation>
        </message>
        <message>
            <source>Loading: %1</source>
            <translation>読み込み中：%1</translation>
        </message>
        <message>
            <source>Reads %1 of %2 new tokens</source>
            <translation>新しいトークン %1 / %2 を読み取り中</translation>
        </message>
        <message>
            <source>Reads</source>
            <translation>読み取り中</translation>
        </message>
        <message>
            <source>Writes</source>
            <translation>書き出し中</translation>
        </message>
        <message>
            <source>Rests</source>
            <translation>待機中</translation>
        </message>
        <message>
            <source>%1 of %2 tokens</source>
            <translation>%1 / %2 トークン</translation>
        </message>
        <message>
            <source>%1, %2 tokens</source>
            <translation>%1 枚、%2 トークン</translation>
        </message>
        <message>
            <source>%1 tokens/s</source>
            <translation>%1 トークン/秒</translation>
        </message>
        <message>
            <source>%1 weights, %2 cache</source>
            <translation>重み %1、キャッシュ %2</translation>
        </message>
        <message>
            <source>All layers</source>
            <translation>すべての層</translation>
        </message>
        <message>
            <source>Layer %1</source>
            <translation>第 %1 層</translation>
        </message>
        <message>
            <source>Draw it over the transcript</source>
            <translation>記録の上に描く</translation>
        </message>
        <message>
            <source>Loads %1 of %2</source>
            <translation>%2 のうち %1 を読み込み中</translation>
        </message>
        <message>
            <source>, %1/s, %2 left</source>
            <translation>、%1/秒、残り %2</translation>
        </message>
    </context>
    <context>
        <name>app::PlanView</name>
        <message>
            <source>Plan</source>
            <translation>計画</translation>
        </message>
        <message>
            <source>Show when this was worked on</source>
            <translation>この手順の時点を表示</translation>
        </message>
        <message>
            <source>No plan yet. A task of several steps gets one.</source>
            <translation>計画はまだありません。複数の手順があるタスクで作られます。</translation>
        </message>
    </context>
    <context>
        <name>app::QuestionPanel</name>
        <message>
            <source>Question of the model</source>
            <translation>モデルからの質問</translation>
        </message>
        <message>
            <source>Your answer</source>
            <translation>あなたの答え</translation>
        </message>
        <message>
            <source>No answer</source>
            <translation>答えない</translation>
        </message>
        <message>
            <source>Answer</source>
            <translation>答える</translation>
        </message>
    </context>
    <context>
        <name>app::ScreenPane</name>
        <message>
            <source>Back to live</source>
            <translation>ライブに戻る</translation>
        </message>
        <message>
            <source>Compare before and after</source>
            <translation>前後を比較</translation>
        </message>
        <message>
            <source>Zoom out</source>
            <translation>縮小</translation>
        </message>
        <message>
            <source>Zoom in</source>
            <translation>拡大</translation>
        </message>
        <message>
            <source>Fit</source>
            <translation>全体を表示</translation>
        </message>
        <message>
            <source>Previous action</source>
            <translation>前の操作</translation>
        </message>
        <message>
            <source>Play</source>
            <translation>再生</translation>
        </message>
        <message>
            <source>Next action</source>
            <translation>次の操作</translation>
        </message>
        <message>
            <source>Hold</source>
            <translation>一時停止</translation>
        </message>
        <message>
            <source>Speed</source>
            <translation>速度</translation>
        </message>
        <message>
            <source>No picture of a screen was recorded until here.</source>
            <translation>ここまでに画面の記録はありません。</translation>
        </message>
        <message>
            <source>You have the wheel: click and type on the picture</source>
            <translation>あなたが操作中：画像上でクリックや入力ができます</translation>
        </message>
        <message>
            <source>Live</source>
            <translation>ライブ</translation>
        </message>
        <message>
            <source>Last picture</source>
            <translation>最後の画像</translation>
        </message>
        <message>
            <source>Run from here</source>
            <translation>ここから実行</translation>
        </message>
        <message>
            <source>A new session goes on from this moment</source>
            <translation>この時点から新しいセッションを続けます</translation>
        </message>
        <message>
            <source>Cut from here (I)</source>
            <translation>ここから切り出す (I)</translation>
        </message>
        <message>
            <source>Cut until here (O)</source>
            <translation>ここまで切り出す (O)</translation>
        </message>
        <message>
            <source>Export the part</source>
            <translation>この部分を書き出す</translation>
        </message>
        <message>
            <source>Forget the cut</source>
            <translation>切り出しをやめる</translation>
        </message>
    </context>
    <context>
        <name>app::ScreenView</name>
        <message>
            <source>Screen</source>
            <translation>画面</translation>
        </message>
        <message>
            <source>Before</source>
            <translation>前</translation>
        </message>
        <message>
            <source>After</source>
            <translation>後</translation>
        </message>
    </context>
    <context>
        <name>app::ServerForm</name>
        <message>
            <source>Address of the server</source>
            <translation>サーバーのアドレス</translation>
        </message>
        <message>
            <source>Key, if it wants one</source>
            <translation>キー (必要な場合)</translation>
        </message>
        <message>
            <source>Key of the server</source>
            <translation>サーバーのキー</translation>
        </message>
        <message>
            <source>Test</source>
            <translation>テスト</translation>
        </message>
        <message>
            <source>Model of the server</source>
            <translation>サーバーのモデル</translation>
        </message>
        <message>
            <source>Add this model</source>
            <translation>このモデルを追加</translation>
        </message>
        <message>
            <source>The server answers, but has no model.</source>
            <translation>サーバーは応答しますが、モデルがありません。</translation>
        </message>
        <message>
            <source>Asking %1…</source>
            <translation>%1 に問い合わせ中…</translation>
        </message>
        <message numerus="yes">
            <source>It answers, and has %n models.</source>
            <translation>
                <numerusform>応答があり、モデルが %n 個あります。</numerusform>
            </translation>
        </message>
        <message>
            <source>%1 (%2 tokens)</source>
            <translation>%1 (%2 トークン)</translation>
        </message>
    </context>
    <context>
        <name>app::SessionPage</name>
        <message>
            <source>State of the session</source>
            <translation>セッションの状態</translation>
        </message>
        <message>
            <source>Take the wheel</source>
            <translation>自分で操作</translation>
        </message>
        <message>
            <source>Pauses it, and lets you work on its desktop yourself</source>
            <translation>一時停止して、自分でデスクトップを操作します</translation>
        </message>
        <message>
            <source>Pause</source>
            <translation>一時停止</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>停止</translation>
        </message>
        <message>
            <source>Stops at once and lets go of mouse and keys (Ctrl+.)</source>
            <translation>すぐに停止し、マウスとキーを放します (Ctrl+.)</translation>
        </message>
        <message>
            <source>Go on with it</source>
            <translation>再開する</translation>
        </message>
        <message>
            <source>Activity</source>
            <translation>活動</translation>
        </message>
        <message>
            <source>Plan</source>
            <translation>計画</translation>
        </message>
        <message>
            <source>Model</source>
            <translation>モデル</translation>
        </message>
        <message>
            <source>Search in this session</source>
            <translation>このセッション内を検索</translation>
        </message>
        <message>
            <source>Export</source>
            <translation>書き出す</translation>
        </message>
        <message>
            <source>Export the session</source>
            <translation>セッションを書き出す</translation>
        </message>
        <message>
            <source>Exporting…</source>
            <translation>書き出しています…</translation>
        </message>
        <message>
            <source>Starting…</source>
            <translation>開始しています…</translation>
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
            <translation>あなたの答えを待っています</translation>
        </message>
        <message>
            <source>Paused</source>
            <translation>一時停止中</translation>
        </message>
        <message>
            <source>Finished</source>
            <translation>終了</translation>
        </message>
        <message>
            <source>Ended</source>
            <translation>終了済み</translation>
        </message>
        <message>
            <source>Go on</source>
            <translation>続ける</translation>
        </message>
        <message>
            <source>Give it back</source>
            <translation>操作を戻す</translation>
        </message>
        <message>
            <source>Plan (%1)</source>
            <translation>計画 (%1)</translation>
        </message>
        <message>
            <source>Close session</source>
            <translation>セッションを閉じる</translation>
        </message>
        <message>
            <source>Closes this session; it stays in the list (Ctrl+W)</source>
            <translation>このセッションを閉じます。一覧には残ります (Ctrl+W)</translation>
        </message>
        <message>
            <source>Close this session?</source>
            <translation>このセッションを閉じますか？</translation>
        </message>
        <message>
            <source>This session is running. Closing stops it; what it has done stays in the list.</source>
            <translation>このセッションは実行中です。閉じると停止します。これまでの内容は一覧に残ります。</translation>
        </message>
        <message>
            <source>Keep working</source>
            <translation>作業を続ける</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>閉じる</translation>
        </message>
    </context>
    <context>
        <name>app::SettingsPage</name>
        <message>
            <source>Settings</source>
            <translation>設定</translation>
        </message>
        <message>
            <source>Search settings</source>
            <translation>設定を検索</translation>
        </message>
        <message>
            <source>Appearance</source>
            <translation>外観</translation>
        </message>
        <message>
            <source>As the desktop</source>
            <translation>デスクトップに合わせる</translation>
        </message>
        <message>
            <source>Light</source>
            <translation>ライト</translation>
        </message>
        <message>
            <source>Dark</source>
            <translation>ダーク</translation>
        </message>
        <message>
            <source>Theme</source>
            <translation>テーマ</translation>
        </message>
        <message>
            <source>Language</source>
            <translation>言語</translation>
        </message>
        <message>
            <source>Work</source>
            <translation>作業</translation>
        </message>
        <message>
            <source>At once</source>
            <translation>すぐに</translation>
        </message>
        <message>
            <source>A moment</source>
            <translation>少し</translation>
        </message>
        <message>
            <source>Slowly</source>
            <translation>ゆっくり</translation>
        </message>
        <message>
            <source>Show each action before it happens</source>
            <translation>操作の前に表示する</translation>
        </message>
        <message>
            <source>Its target is drawn on the picture for so long.</source>
            <translation>対象を画像上にこの間表示します。</translation>
        </message>
        <message>
            <source>Notifications</source>
            <translation>通知</translation>
        </message>
        <message>
            <source>When a session has finished or waits for you, and the window isn't in front.</source>
            <translation>セッションが終了したか待機中で、ウィンドウが前面にないとき。</translation>
        </message>
        <message>
            <source>Network for commands</source>
            <translation>コマンドのネットワーク</translation>
        </message>
        <message>
            <source>Off: commands run without any network. On: each use is still judged by the rules below.</source>
            <translation>オフ：コマンドはネットワークなしで動きます。オン：使用のたびに下の規則が適用されます。</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>モデル</translation>
        </message>
        <message>
            <source>Add a folder…</source>
            <translation>フォルダーを追加…</translation>
        </message>
        <message>
            <source>A MiniMax-M3 checkpoint</source>
            <translation>MiniMax-M3 のチェックポイント</translation>
        </message>
        <message>
            <source>MiniMax-M3 on this machine</source>
            <translation>このマシンの MiniMax-M3</translation>
        </message>
        <message>
            <source>A folder with config.json, weights, tokenizer.json and chat_template.jinja.</source>
            <translation>config.json、重み、tokenizer.json、chat_template.jinja のあるフォルダー。</translation>
        </message>
        <message>
            <source>Forget %1</source>
            <translation>%1 を外す</translation>
        </message>
        <message>
            <source>Permissions</source>
            <translation>権限</translation>
        </message>
        <message>
            <source>Allow</source>
            <translation>許可</translation>
        </message>
        <message>
            <source>Ask</source>
            <translation>確認</translation>
        </message>
        <message>
            <source>Deny</source>
            <translation>拒否</translation>
        </message>
        <message>
            <source>What the model does: %1</source>
            <translation>モデルの動作：%1</translation>
        </message>
        <message>
            <source>The model %1</source>
            <translation>モデル：%1</translation>
        </message>
        <message>
            <source>never so far</source>
            <translation>これまで一度もなし</translation>
        </message>
        <message numerus="yes">
            <source>%n times so far</source>
            <translation>
                <numerusform>これまでに %n 回</numerusform>
            </translation>
        </message>
        <message>
            <source>Your data</source>
            <translation>あなたのデータ</translation>
        </message>
        <message>
            <source>Sessions</source>
            <translation>セッション</translation>
        </message>
        <message>
            <source>Export…</source>
            <translation>書き出す…</translation>
        </message>
        <message>
            <source>Import…</source>
            <translation>読み込む…</translation>
        </message>
        <message>
            <source>Export settings</source>
            <translation>設定を書き出す</translation>
        </message>
        <message>
            <source>Import settings</source>
            <translation>設定を読み込む</translation>
        </message>
        <message>
            <source>Nothing leaves this machine</source>
            <translation>データはこのマシンから出ません</translation>
        </message>
        <message>
            <source>No account, no telemetry. Only a model server that you name yourself, and the network where you allow it.</source>
            <translation>アカウントも遠隔測定もありません。自分で指定したモデルサーバーと、許可したネットワークだけです。</translation>
        </message>
        <message>
            <source>Test</source>
            <translation>テスト</translation>
        </message>
        <message>
            <source>Test %1</source>
            <translation>%1 をテスト</translation>
        </message>
        <message>
            <source>Model servers</source>
            <translation>モデルサーバー</translation>
        </message>
        <message>
            <source>A server that speaks OpenAI's language</source>
            <translation>OpenAI 互換のサーバー</translation>
        </message>
        <message>
            <source>vLLM, SGLang and llama.cpp do. What the model sees and reads is sent there, and nowhere else.</source>
            <translation>vLLM、SGLang、llama.cpp など。モデルが見聞きした内容はそこにだけ送られます。</translation>
        </message>
        <message>
            <source>This machine</source>
            <translation>このマシン</translation>
        </message>
        <message>
            <source>Check now</source>
            <translation>今すぐ確認</translation>
        </message>
        <message>
            <source>What works here</source>
            <translation>ここで動くもの</translation>
        </message>
        <message>
            <source>Tries all that Deskhand needs, and says what to do where it fails.</source>
            <translation>Deskhand に必要なものをすべて試し、失敗したところでは対処法を示します。</translation>
        </message>
        <message>
            <source>Lasting answers</source>
            <translation>常に適用する回答</translation>
        </message>
        <message>
            <source>What you answered with “Always”. What you forget here is asked again.</source>
            <translation>「常に」と答えたもの。ここで削除すると再び確認します。</translation>
        </message>
        <message>
            <source>Allowed: the model %1</source>
            <translation>許可: モデルが%1</translation>
        </message>
        <message>
            <source>Denied: the model %1</source>
            <translation>拒否: モデルが%1</translation>
        </message>
    </context>
    <context>
        <name>app::Sidebar</name>
        <message>
            <source>New task</source>
            <translation>新しいタスク</translation>
        </message>
        <message>
            <source>Ctrl+N</source>
            <translation>Ctrl+N</translation>
        </message>
        <message>
            <source>Search sessions</source>
            <translation>セッションを検索</translation>
        </message>
        <message>
            <source>Sessions</source>
            <translation>セッション</translation>
        </message>
        <message>
            <source>Settings</source>
            <translation>設定</translation>
        </message>
    </context>
    <context>
        <name>app::TimelineView</name>
        <message>
            <source>Timeline</source>
            <translation>タイムライン</translation>
        </message>
        <message>
            <source>Arrow keys step from action to action, Space plays, End goes to the present; I and O cut out a part, Escape forgets it</source>
            <translation>矢印キーで操作間を移動、スペースで再生、End で現在に戻る。I と O で一部を切り出し、Esc でやめる</translation>
        </message>
    </context>
    <context>
        <name>app::TranscriptView</name>
        <message>
            <source>Transcript</source>
            <translation>記録</translation>
        </message>
    </context>
    <context>
        <name>app::TrayIcon</name>
        <message>
            <source>Show the window</source>
            <translation>ウィンドウを表示</translation>
        </message>
        <message>
            <source>Stop everything</source>
            <translation>すべて停止</translation>
        </message>
        <message>
            <source>Quit</source>
            <translation>終了</translation>
        </message>
        <message numerus="yes">
            <source>%n sessions wait for you</source>
            <translation>
                <numerusform>%n 個のセッションが待っています</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n sessions at work</source>
            <translation>
                <numerusform>%n 個のセッションが作業中</numerusform>
            </translation>
        </message>
        <message>
            <source>Nothing is running</source>
            <translation>実行中のものはありません</translation>
        </message>
    </context>
</TS>
