<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="en" sourcelanguage="en">
    <context>
        <name>Transcript</name>
        <message numerus="yes">
            <source>… %n more lines …</source>
            <translation>
                <numerusform>… %n more line …</numerusform>
                <numerusform>… %n more lines …</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n actions</source>
            <translation>
                <numerusform>%n action</numerusform>
                <numerusform>%n actions</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n without a clear effect</source>
            <translation>
                <numerusform>%n without a clear effect</numerusform>
                <numerusform>%n without a clear effect</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>app::ApprovalPanel</name>
        <message numerus="yes">
            <source>%n changes, shown at the left. Those that you untick are left out, and the model is told.</source>
            <translation>
                <numerusform>%n change, shown at the left. If you untick it, it is left out, and the model is told.</numerusform>
                <numerusform>%n changes, shown at the left. Those that you untick are left out, and the model is told.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>app::EditReview</name>
        <message numerus="yes">
            <source>Changes to %n files: untick what should be left out</source>
            <translation>
                <numerusform>Changes to %n file: untick what should be left out</numerusform>
                <numerusform>Changes to %n files: untick what should be left out</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>Changes to %n files</source>
            <translation>
                <numerusform>Changes to %n file</numerusform>
                <numerusform>Changes to %n files</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>app::MainWindow</name>
        <message numerus="yes">
            <source>%n sessions are running. Quitting stops them.</source>
            <translation>
                <numerusform>One session is running. Quitting stops it.</numerusform>
                <numerusform>%n sessions are running. Quitting stops them.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>app::ServerForm</name>
        <message numerus="yes">
            <source>It answers, and has %n models.</source>
            <translation>
                <numerusform>It answers, and has %n model.</numerusform>
                <numerusform>It answers, and has %n models.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>app::SettingsPage</name>
        <message numerus="yes">
            <source>%n times so far</source>
            <translation>
                <numerusform>once so far</numerusform>
                <numerusform>%n times so far</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>app::TrayIcon</name>
        <message numerus="yes">
            <source>%n sessions wait for you</source>
            <translation>
                <numerusform>One session waits for you</numerusform>
                <numerusform>%n sessions wait for you</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n sessions at work</source>
            <translation>
                <numerusform>One session at work</numerusform>
                <numerusform>%n sessions at work</numerusform>
            </translation>
        </message>
    </context>
</TS>
