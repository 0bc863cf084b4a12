<?xml version="1.0" encoding="utf-8"?>
<!DOCTYPE TS>
<TS version="2.1" language="de" sourcelanguage="en">
    <context>
        <name>Calls</name>
        <message>
            <source>Move to %1</source>
            <translation>Zu %1 bewegen</translation>
        </message>
        <message>
            <source>Press the button at %1</source>
            <translation>Taste drücken bei %1</translation>
        </message>
        <message>
            <source>Release the button at %1</source>
            <translation>Taste loslassen bei %1</translation>
        </message>
        <message>
            <source>Drag from %1 to %2</source>
            <translation>Ziehen von %1 nach %2</translation>
        </message>
        <message>
            <source>Scroll down</source>
            <translation>Nach unten scrollen</translation>
        </message>
        <message>
            <source>Scroll up</source>
            <translation>Nach oben scrollen</translation>
        </message>
        <message>
            <source>Scroll right</source>
            <translation>Nach rechts scrollen</translation>
        </message>
        <message>
            <source>Scroll left</source>
            <translation>Nach links scrollen</translation>
        </message>
        <message>
            <source>Type “%1”</source>
            <translation>„%1“ tippen</translation>
        </message>
        <message>
            <source>Hold %1</source>
            <translation>%1 halten</translation>
        </message>
        <message>
            <source>Release %1</source>
            <translation>%1 loslassen</translation>
        </message>
        <message>
            <source>Press %1</source>
            <translation>%1 drücken</translation>
        </message>
        <message>
            <source>List the windows</source>
            <translation>Fenster auflisten</translation>
        </message>
        <message>
            <source>Wait for the window %1</source>
            <translation>Auf das Fenster %1 warten</translation>
        </message>
        <message>
            <source>Close the window %1</source>
            <translation>Fenster %1 schließen</translation>
        </message>
        <message>
            <source>Switch to the window %1</source>
            <translation>Zum Fenster %1 wechseln</translation>
        </message>
        <message>
            <source>Arrange the window %1</source>
            <translation>Fenster %1 anordnen</translation>
        </message>
        <message>
            <source>Run a command</source>
            <translation>Befehl ausführen</translation>
        </message>
        <message>
            <source>Look after a running command</source>
            <translation>Nach einem laufenden Befehl sehen</translation>
        </message>
        <message>
            <source>Open %1</source>
            <translation>%1 öffnen</translation>
        </message>
        <message>
            <source>Look closer</source>
            <translation>Genauer hinsehen</translation>
        </message>
        <message>
            <source>Look at the screen</source>
            <translation>Auf den Bildschirm schauen</translation>
        </message>
        <message>
            <source>Wait</source>
            <translation>Warten</translation>
        </message>
        <message>
            <source>Read the widgets</source>
            <translation>Bedienelemente lesen</translation>
        </message>
        <message>
            <source>Use the clipboard</source>
            <translation>Zwischenablage benutzen</translation>
        </message>
        <message>
            <source>Make a plan</source>
            <translation>Plan machen</translation>
        </message>
        <message>
            <source>Ask you</source>
            <translation>Dich fragen</translation>
        </message>
        <message>
            <source>Give up</source>
            <translation>Aufgeben</translation>
        </message>
        <message>
            <source>Fetch %1</source>
            <translation>%1 abrufen</translation>
        </message>
        <message>
            <source>Read %1</source>
            <translation>%1 lesen</translation>
        </message>
        <message>
            <source>Write %1</source>
            <translation>%1 schreiben</translation>
        </message>
        <message>
            <source>Edit %1</source>
            <translation>%1 ändern</translation>
        </message>
        <message>
            <source>List %1</source>
            <translation>%1 auflisten</translation>
        </message>
        <message>
            <source>Search %1</source>
            <translation>%1 suchen</translation>
        </message>
        <message>
            <source>Change files</source>
            <translation>Dateien ändern</translation>
        </message>
        <message>
            <source>Undo an edit</source>
            <translation>Änderung zurücknehmen</translation>
        </message>
        <message>
            <source>only looks</source>
            <translation>schaut nur</translation>
        </message>
        <message>
            <source>reads files of the workspace</source>
            <translation>liest Dateien des Arbeitsordners</translation>
        </message>
        <message>
            <source>reads files outside the workspace</source>
            <translation>liest Dateien außerhalb des Arbeitsordners</translation>
        </message>
        <message>
            <source>works its own desktop</source>
            <translation>bedient seinen eigenen Desktop</translation>
        </message>
        <message>
            <source>works your desktop</source>
            <translation>bedient deinen Desktop</translation>
        </message>
        <message>
            <source>changes files of the workspace</source>
            <translation>ändert Dateien des Arbeitsordners</translation>
        </message>
        <message>
            <source>changes files outside the workspace</source>
            <translation>ändert Dateien außerhalb des Arbeitsordners</translation>
        </message>
        <message>
            <source>runs a command</source>
            <translation>führt einen Befehl aus</translation>
        </message>
        <message>
            <source>uses the network</source>
            <translation>benutzt das Netz</translation>
        </message>
        <message>
            <source>confirmed</source>
            <translation>bestätigt</translation>
        </message>
        <message>
            <source>partly seen</source>
            <translation>teilweise gesehen</translation>
        </message>
        <message>
            <source>no effect</source>
            <translation>ohne Wirkung</translation>
        </message>
        <message>
            <source>not verifiable</source>
            <translation>nicht prüfbar</translation>
        </message>
        <message>
            <source>refused</source>
            <translation>verweigert</translation>
        </message>
        <message>
            <source>Done</source>
            <translation>Fertig</translation>
        </message>
        <message>
            <source>Gave up</source>
            <translation>Aufgegeben</translation>
        </message>
        <message>
            <source>Stuck</source>
            <translation>Steckt fest</translation>
        </message>
        <message>
            <source>Not allowed</source>
            <translation>Nicht erlaubt</translation>
        </message>
        <message>
            <source>Stopped</source>
            <translation>Angehalten</translation>
        </message>
        <message>
            <source>Failed</source>
            <translation>Fehlgeschlagen</translation>
        </message>
        <message>
            <source>Running</source>
            <translation>Läuft</translation>
        </message>
        <message>
            <source>Interrupted</source>
            <translation>Unterbrochen</translation>
        </message>
        <message>
            <source>Double click at %1</source>
            <translation>Doppelklick bei %1</translation>
        </message>
        <message>
            <source>Right click at %1</source>
            <translation>Rechtsklick bei %1</translation>
        </message>
        <message>
            <source>Middle click at %1</source>
            <translation>Mittelklick bei %1</translation>
        </message>
        <message>
            <source>Click</source>
            <translation>Klicken</translation>
        </message>
        <message>
            <source>Click at %1</source>
            <translation>Klick bei %1</translation>
        </message>
        <message>
            <source>destroys something</source>
            <translation>zerstört etwas</translation>
        </message>
        <message>
            <source>touches credentials</source>
            <translation>berührt Zugangsdaten</translation>
        </message>
        <message>
            <source>spends money</source>
            <translation>gibt Geld aus</translation>
        </message>
        <message>
            <source>gains more rights</source>
            <translation>verschafft sich mehr Rechte</translation>
        </message>
    </context>
    <context>
        <name>Checks</name>
        <message>
            <source>Your display</source>
            <translation>Dein Bildschirm</translation>
        </message>
        <message>
            <source>Mouse and keys on it</source>
            <translation>Maus und Tasten darauf</translation>
        </message>
        <message>
            <source>A desktop of its own</source>
            <translation>Ein eigener Desktop</translation>
        </message>
        <message>
            <source>Reading widgets</source>
            <translation>Bedienelemente lesen</translation>
        </message>
        <message>
            <source>Commands in a sandbox</source>
            <translation>Befehle im Sandkasten</translation>
        </message>
        <message>
            <source>Programs</source>
            <translation>Programme</translation>
        </message>
        <message>
            <source>The small model</source>
            <translation>Das kleine Modell</translation>
        </message>
        <message>
            <source>GPU</source>
            <translation>GPU</translation>
        </message>
        <message>
            <source>The record</source>
            <translation>Die Aufzeichnung</translation>
        </message>
        <message>
            <source>Disk</source>
            <translation>Datenträger</translation>
        </message>
        <message>
            <source>Desktop portal</source>
            <translation>Desktop-Portal</translation>
        </message>
        <message>
            <source>Keyring</source>
            <translation>Schlüsselbund</translation>
        </message>
        <message>
            <source>log in to an X11 session</source>
            <translation>melde dich bei einer X11-Sitzung an</translation>
        </message>
        <message>
            <source>log in to an X11 session for --desktop mine</source>
            <translation>für --desktop mine melde dich bei einer X11-Sitzung an</translation>
        </message>
        <message>
            <source>a Wayland session without X11</source>
            <translation>eine Wayland-Sitzung ohne X11</translation>
        </message>
        <message>
            <source>no display here</source>
            <translation>kein Bildschirm vorhanden</translation>
        </message>
        <message>
            <source>private desktops work all the same; --desktop mine needs an X11 session</source>
            <translation>eigene Desktops gehen trotzdem; --desktop mine braucht eine X11-Sitzung</translation>
        </message>
        <message>
            <source>X11 programs of a Wayland session (%1, %2)</source>
            <translation>X11-Programme einer Wayland-Sitzung (%1, %2)</translation>
        </message>
        <message>
            <source>only X11 windows can be seen and worked; log in to an X11 session for --desktop mine</source>
            <translation>nur X11-Fenster sind zu sehen und zu bedienen; für --desktop mine melde dich bei einer X11-Sitzung an</translation>
        </message>
        <message>
            <source>X11 display %1, %2</source>
            <translation>X11-Bildschirm %1, %2</translation>
        </message>
        <message>
            <source>no display to try it on</source>
            <translation>kein Bildschirm, an dem es sich prüfen ließe</translation>
        </message>
        <message>
            <source>work on a private desktop, which has a window manager and no input method</source>
            <translation>einen eigenen Desktop nehmen: der hat eine Fensterverwaltung und keine Eingabemethode</translation>
        </message>
        <message>
            <source>the input helper works %1 through XTest</source>
            <translation>der Eingabehelfer bedient %1 über XTest</translation>
        </message>
        <message>
            <source>install xvfb, xauth, openbox, dbus, dbus-x11, at-spi2-core and x11-xkb-utils</source>
            <translation>installiere xvfb, xauth, openbox, dbus, dbus-x11, at-spi2-core und x11-xkb-utils</translation>
        </message>
        <message>
            <source>starts, is seen, and takes keys (%1)</source>
            <translation>startet, ist zu sehen und nimmt Tasten an (%1)</translation>
        </message>
        <message>
            <source>install at-spi2-core and libatk-adaptor</source>
            <translation>installiere at-spi2-core und libatk-adaptor</translation>
        </message>
        <message>
            <source>the accessibility bus of a private desktop answers</source>
            <translation>der Barrierefreiheits-Bus eines eigenen Desktops antwortet</translation>
        </message>
        <message>
            <source>install bubblewrap, and allow user namespaces</source>
            <translation>installiere bubblewrap und erlaube User-Namespaces</translation>
        </message>
        <message>
            <source>a command ran in bubblewrap</source>
            <translation>ein Befehl lief in bubblewrap</translation>
        </message>
        <message>
            <source>mousepad, mate-calc, Xephyr and ripgrep are there</source>
            <translation>mousepad, mate-calc, Xephyr und ripgrep sind da</translation>
        </message>
        <message>
            <source>missing: %1</source>
            <translation>es fehlt: %1</translation>
        </message>
        <message>
            <source>install mousepad, mate-calc (demonstration, calibrate), xserver-xephyr (--watch), ripgrep (search)</source>
            <translation>installiere mousepad, mate-calc (Vorführung, calibrate), xserver-xephyr (--watch), ripgrep (Suche)</translation>
        </message>
        <message>
            <source>no NVIDIA GPU: models run on the processor</source>
            <translation>keine NVIDIA-GPU: Modelle laufen auf dem Prozessor</translation>
        </message>
        <message>
            <source>the small model needs none; for MiniMax-M3 use a GPU, or a server by --model http://…</source>
            <translation>das kleine Modell braucht keine; für MiniMax-M3 nimm eine GPU, oder einen Server mit --model http://…</translation>
        </message>
        <message>
            <source>an NVIDIA GPU, but Deskhand was built without CUDA</source>
            <translation>eine NVIDIA-GPU, aber Deskhand wurde ohne CUDA gebaut</translation>
        </message>
        <message>
            <source>install the CUDA toolkit (nvcc) and build again</source>
            <translation>installiere das CUDA-Toolkit (nvcc) und baue neu</translation>
        </message>
        <message>
            <source>an NVIDIA GPU and the kernels for it</source>
            <translation>eine NVIDIA-GPU und die Kernel dafür</translation>
        </message>
        <message>
            <source>%1 loads from %2</source>
            <translation>%1 lädt aus %2</translation>
        </message>
        <message>
            <source>install Deskhand again</source>
            <translation>installiere Deskhand neu</translation>
        </message>
        <message>
            <source>no D-Bus session</source>
            <translation>keine D-Bus-Sitzung</translation>
        </message>
        <message>
            <source>only needed for Wayland desktops</source>
            <translation>nur für Wayland-Desktops nötig</translation>
        </message>
        <message>
            <source>no desktop portal runs</source>
            <translation>es läuft kein Desktop-Portal</translation>
        </message>
        <message>
            <source>only needed for Wayland desktops: install xdg-desktop-portal</source>
            <translation>nur für Wayland-Desktops nötig: installiere xdg-desktop-portal</translation>
        </message>
        <message>
            <source>a desktop portal runs</source>
            <translation>ein Desktop-Portal läuft</translation>
        </message>
        <message>
            <source>%1 can be read and written</source>
            <translation>%1 kann gelesen und geschrieben werden</translation>
        </message>
        <message>
            <source>see the message</source>
            <translation>siehe die Meldung</translation>
        </message>
        <message>
            <source>%1 can&apos;t be looked at</source>
            <translation>%1 kann nicht angesehen werden</translation>
        </message>
        <message>
            <source>make it a folder of yours</source>
            <translation>mach ihn zu einem Ordner von dir</translation>
        </message>
        <message>
            <source>%1 GiB free in %2</source>
            <translation>%1 GiB frei in %2</translation>
        </message>
        <message>
            <source>free some: sessions record what was seen</source>
            <translation>schaffe Platz: Sitzungen zeichnen auf, was zu sehen war</translation>
        </message>
        <message>
            <source>free some space</source>
            <translation>schaffe Platz</translation>
        </message>
        <message>
            <source>secret-tool is there for keys and passwords</source>
            <translation>secret-tool ist da für Schlüssel und Passwörter</translation>
        </message>
        <message>
            <source>no secret-tool: keys and passwords come from files (mode 0600) or the environment</source>
            <translation>kein secret-tool: Schlüssel und Passwörter kommen aus Dateien (Modus 0600) oder der Umgebung</translation>
        </message>
        <message>
            <source>install libsecret-tools to keep them in the keyring</source>
            <translation>installiere libsecret-tools, um sie im Schlüsselbund zu halten</translation>
        </message>
    </context>
    <context>
        <name>Export</name>
        <message>
            <source>Report (HTML)</source>
            <translation>Bericht (HTML)</translation>
        </message>
        <message>
            <source>Film (MP4)</source>
            <translation>Film (MP4)</translation>
        </message>
        <message>
            <source>Zip file with pictures and events</source>
            <translation>Zip-Datei mit Bildern und Ereignissen</translation>
        </message>
        <message>
            <source>Folder with pictures and events</source>
            <translation>Ordner mit Bildern und Ereignissen</translation>
        </message>
        <message>
            <source>Workflow that can be replayed</source>
            <translation>Ablauf, der sich wiederholen lässt</translation>
        </message>
        <message>
            <source>Exported to %1</source>
            <translation>Exportiert nach %1</translation>
        </message>
    </context>
    <context>
        <name>Transcript</name>
        <message numerus="yes">
            <source>… %n more lines …</source>
            <translation>
                <numerusform>… %n weitere Zeile …</numerusform>
                <numerusform>… %n weitere Zeilen …</numerusform>
            </translation>
        </message>
        <message>
            <source>Thought</source>
            <translation>Gedanke</translation>
        </message>
        <message>
            <source>Thought: %1</source>
            <translation>Gedanke: %1</translation>
        </message>
        <message>
            <source>denied</source>
            <translation>abgelehnt</translation>
        </message>
        <message>
            <source>running</source>
            <translation>läuft</translation>
        </message>
        <message>
            <source>failed</source>
            <translation>fehlgeschlagen</translation>
        </message>
        <message numerus="yes">
            <source>%n actions</source>
            <translation>
                <numerusform>%n Aktion</numerusform>
                <numerusform>%n Aktionen</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n without a clear effect</source>
            <translation>
                <numerusform>%n ohne klare Wirkung</numerusform>
                <numerusform>%n ohne klare Wirkung</numerusform>
            </translation>
        </message>
        <message>
            <source>“%1” was read by %2</source>
            <translation>„%1“ wurde von %2 gelesen</translation>
        </message>
        <message>
            <source>Every claim that cites results is proven by them.</source>
            <translation>Jede Aussage, die Ergebnisse nennt, ist durch sie belegt.</translation>
        </message>
        <message>
            <source>Not proven: “%1” (%2)</source>
            <translation>Nicht belegt: „%1“ (%2)</translation>
        </message>
    </context>
    <context>
        <name>app::AgentBridge</name>
        <message>
            <source>Loading the model…</source>
            <translation>Modell wird geladen…</translation>
        </message>
        <message>
            <source>Opening the desktop…</source>
            <translation>Desktop wird geöffnet…</translation>
        </message>
        <message>
            <source>Asking the model's server…</source>
            <translation>Der Server des Modells wird gefragt …</translation>
        </message>
    </context>
    <context>
        <name>app::ApprovalPanel</name>
        <message>
            <source>Question of consent</source>
            <translation>Frage nach Zustimmung</translation>
        </message>
        <message>
            <source>What exactly would be done</source>
            <translation>Was genau getan würde</translation>
        </message>
        <message>
            <source>If not: why, or what instead? The model reads it.</source>
            <translation>Wenn nicht: warum? Das Modell liest es.</translation>
        </message>
        <message>
            <source>Reason for the model</source>
            <translation>Grund für das Modell</translation>
        </message>
        <message>
            <source>Deny</source>
            <translation>Ablehnen</translation>
        </message>
        <message>
            <source>For this session</source>
            <translation>Für diese Sitzung</translation>
        </message>
        <message>
            <source>Always</source>
            <translation>Immer</translation>
        </message>
        <message>
            <source>Allow once</source>
            <translation>Einmal erlauben</translation>
        </message>
        <message>
            <source>Allow this? %1</source>
            <translation>Das erlauben? %1</translation>
        </message>
        <message>
            <source>You are asked, because it looks as if it destroyed something.</source>
            <translation>Du wirst gefragt, denn es sieht so aus, als würde etwas zerstört.</translation>
        </message>
        <message>
            <source>You are asked, because it looks as if it touched passwords or keys.</source>
            <translation>Du wirst gefragt, denn es sieht so aus, als ginge es an Passwörter oder Schlüssel.</translation>
        </message>
        <message>
            <source>You are asked, because it looks as if it spent money.</source>
            <translation>Du wirst gefragt, denn es sieht so aus, als würde Geld ausgegeben.</translation>
        </message>
        <message>
            <source>You are asked, because it looks as if it took an administrator&apos;s rights.</source>
            <translation>Du wirst gefragt, denn es sieht so aus, als nähme es sich Administratorrechte.</translation>
        </message>
        <message>
            <source>You are asked, because it types a secret.</source>
            <translation>Du wirst gefragt, denn es tippt ein Geheimnis.</translation>
        </message>
        <message>
            <source>You are asked each time, because a part of it was read by %1.</source>
            <translation>Du wirst jedes Mal gefragt, denn ein Teil davon wurde von %1 gelesen.</translation>
        </message>
        <message>
            <source>You are asked, because it %1.</source>
            <translation>Du wirst gefragt, denn das Modell %1.</translation>
        </message>
        <message>
            <source>It would hit: %1</source>
            <translation>Es träfe: %1</translation>
        </message>
        <message>
            <source>Allows from now on: %1</source>
            <translation>Erlaubt von jetzt an: %1</translation>
        </message>
        <message>
            <source>%1 was read by %2</source>
            <translation>%1 wurde von %2 gelesen</translation>
        </message>
        <message>
            <source>Where parts of the command come from</source>
            <translation>Woher Teile des Befehls stammen</translation>
        </message>
        <message>
            <source>Allow %1 of %2</source>
            <translation>%1 von %2 erlauben</translation>
        </message>
        <message numerus="yes">
            <source>%n changes, shown at the left. Those that you untick are left out, and the model is told.</source>
            <translation>
                <numerusform>%n Änderung, links gezeigt. Was du abwählst, bleibt weg, und das Modell erfährt es.</numerusform>
                <numerusform>%n Änderungen, links gezeigt. Was du abwählst, bleibt weg, und das Modell erfährt es.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>app::BlockStrip</name>
        <message>
            <source>Blocks that the model chose</source>
            <translation>Blöcke, die das Modell gewählt hat</translation>
        </message>
        <message>
            <source>Tokens %1 to %2: chosen by %3 %</source>
            <translation>Token %1 bis %2: gewählt von %3 %</translation>
        </message>
    </context>
    <context>
        <name>app::BranchPanel</name>
        <message>
            <source>Run from here</source>
            <translation>Von hier an ausführen</translation>
        </message>
        <message>
            <source>It remembers all until there. Its desktop is a new one, and files are as they are now.</source>
            <translation>Sie kennt alles bis dahin. Ihr Desktop ist ein neuer, und Dateien sind so, wie sie jetzt sind.</translation>
        </message>
        <message>
            <source>What should be done from here?</source>
            <translation>Was soll von hier an getan werden?</translation>
        </message>
        <message>
            <source>Cancel</source>
            <translation>Abbrechen</translation>
        </message>
        <message>
            <source>Run</source>
            <translation>Ausführen</translation>
        </message>
        <message>
            <source>A new session goes on from %1</source>
            <translation>Eine neue Sitzung geht von %1 an weiter</translation>
        </message>
    </context>
    <context>
        <name>app::Composer</name>
        <message>
            <source>What should be done?</source>
            <translation>Was soll getan werden?</translation>
        </message>
        <message>
            <source>What should be done next?</source>
            <translation>Was soll als Nächstes getan werden?</translation>
        </message>
        <message>
            <source>Task</source>
            <translation>Aufgabe</translation>
        </message>
        <message>
            <source>Start</source>
            <translation>Starten</translation>
        </message>
        <message>
            <source>Go on</source>
            <translation>Weiter</translation>
        </message>
        <message>
            <source>Its own desktop</source>
            <translation>Eigener Desktop</translation>
        </message>
        <message>
            <source>My desktop</source>
            <translation>Mein Desktop</translation>
        </message>
        <message>
            <source>Files and commands only</source>
            <translation>Nur Dateien und Befehle</translation>
        </message>
        <message>
            <source>Attach files</source>
            <translation>Dateien anhängen</translation>
        </message>
        <message>
            <source>Files only</source>
            <translation>Nur Dateien</translation>
        </message>
        <message>
            <source>Where: %1</source>
            <translation>Wo: %1</translation>
        </message>
        <message>
            <source>Where the task is done</source>
            <translation>Wo die Aufgabe erledigt wird</translation>
        </message>
        <message>
            <source>No model</source>
            <translation>Kein Modell</translation>
        </message>
        <message>
            <source>Model: %1</source>
            <translation>Modell: %1</translation>
        </message>
        <message>
            <source>Which model does it</source>
            <translation>Welches Modell es tut</translation>
        </message>
        <message>
            <source>No folder</source>
            <translation>Kein Ordner</translation>
        </message>
        <message>
            <source>Folder: %1</source>
            <translation>Ordner: %1</translation>
        </message>
        <message>
            <source>The folder to work in</source>
            <translation>Der Ordner, in dem gearbeitet wird</translation>
        </message>
        <message>
            <source>%1
Click to remove it</source>
            <translation>%1
Klicken entfernt sie</translation>
        </message>
        <message>
            <source>Attached: %1</source>
            <translation>Angehängt: %1</translation>
        </message>
        <message>
            <source>File: %1</source>
            <translation>Datei: %1</translation>
        </message>
    </context>
    <context>
        <name>app::EditReview</name>
        <message>
            <source>Changes of files</source>
            <translation>Änderungen an Dateien</translation>
        </message>
        <message>
            <source>Side by side</source>
            <translation>Nebeneinander</translation>
        </message>
        <message>
            <source>Inline</source>
            <translation>Untereinander</translation>
        </message>
        <message>
            <source>Back to the screen</source>
            <translation>Zurück zum Bildschirm</translation>
        </message>
        <message numerus="yes">
            <source>Changes to %n files: untick what should be left out</source>
            <translation>
                <numerusform>%n Datei: Wähle ab, was wegbleiben soll</numerusform>
                <numerusform>%n Dateien: Wähle ab, was wegbleiben soll</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>Changes to %n files</source>
            <translation>
                <numerusform>Änderungen an %n Datei</numerusform>
                <numerusform>Änderungen an %n Dateien</numerusform>
            </translation>
        </message>
        <message>
            <source>new file</source>
            <translation>neue Datei</translation>
        </message>
        <message>
            <source>will be deleted</source>
            <translation>wird gelöscht</translation>
        </message>
        <message>
            <source>moves to %1</source>
            <translation>zieht um nach %1</translation>
        </message>
        <message>
            <source>Lines %1 to %2</source>
            <translation>Zeilen %1 bis %2</translation>
        </message>
        <message>
            <source>This change</source>
            <translation>Diese Änderung</translation>
        </message>
        <message>
            <source>Take the change of %1, %2</source>
            <translation>Die Änderung von %1 übernehmen, %2</translation>
        </message>
    </context>
    <context>
        <name>app::HomePage</name>
        <message>
            <source>What should be done?</source>
            <translation>Was soll getan werden?</translation>
        </message>
        <message>
            <source>It works on a desktop of its own, shows you each step, and asks before anything that matters.</source>
            <translation>Es arbeitet auf einem eigenen Desktop, zeigt dir jeden Schritt und fragt vor allem, worauf es ankommt.</translation>
        </message>
        <message>
            <source>Try one of these</source>
            <translation>Zum Ausprobieren</translation>
        </message>
        <message>
            <source>Open the calculator and press 7</source>
            <translation>Den Rechner öffnen und 7 drücken</translation>
        </message>
        <message>
            <source>Write a line in the text editor</source>
            <translation>Eine Zeile im Texteditor schreiben</translation>
        </message>
        <message>
            <source>Count the lines of a file</source>
            <translation>Die Zeilen einer Datei zählen</translation>
        </message>
        <message>
            <source>Say how many files there are</source>
            <translation>Sagen, wie viele Dateien es gibt</translation>
        </message>
        <message>
            <source>Not now</source>
            <translation>Nicht jetzt</translation>
        </message>
        <message>
            <source>Go on with it</source>
            <translation>Damit weitermachen</translation>
        </message>
        <message>
            <source>“%1” was interrupted. Nothing of it is lost.</source>
            <translation>„%1“ wurde unterbrochen. Nichts davon ist verloren.</translation>
        </message>
        <message>
            <source>Welcome to Deskhand</source>
            <translation>Willkommen bei Deskhand</translation>
        </message>
        <message>
            <source>It has a desktop of its own: your mouse and windows stay yours.</source>
            <translation>Es hat einen eigenen Desktop: deine Maus und deine Fenster bleiben deine.</translation>
        </message>
        <message>
            <source>It asks before it runs commands, uses the network or touches other files.</source>
            <translation>Es fragt, bevor es Befehle ausführt, das Netz benutzt oder andere Dateien anfasst.</translation>
        </message>
        <message>
            <source>Every session is recorded here, and nowhere else. You can look back at each moment.</source>
            <translation>Jede Sitzung wird hier aufgezeichnet und nirgends sonst. Du kannst jeden Moment wieder ansehen.</translation>
        </message>
        <message>
            <source>The small model that comes along starts at once. A MiniMax-M3 folder is added in the settings.</source>
            <translation>Das kleine Modell startet sofort. Ein MiniMax-M3-Ordner lässt sich in den Einstellungen hinzufügen.</translation>
        </message>
        <message>
            <source>Show me: 30 seconds</source>
            <translation>Zeig es mir: 30 Sekunden</translation>
        </message>
    </context>
    <context>
        <name>app::MachineCheck</name>
        <message>
            <source>Details</source>
            <translation>Einzelheiten</translation>
        </message>
        <message>
            <source>The check could not be run.</source>
            <translation>Die Prüfung ließ sich nicht ausführen.</translation>
        </message>
        <message>
            <source>Checking what works on this machine…</source>
            <translation>Es wird geprüft, was auf diesem Rechner geht …</translation>
        </message>
        <message>
            <source>All that is needed works here (%1 of %2 checks).</source>
            <translation>Alles Nötige geht hier (%1 von %2 Prüfungen).</translation>
        </message>
        <message>
            <source>Something that is needed doesn't work here.</source>
            <translation>Etwas Nötiges geht hier nicht.</translation>
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
            <translation>Deskhand bittet um Zustimmung</translation>
        </message>
        <message>
            <source>Deskhand has a question</source>
            <translation>Deskhand hat eine Frage</translation>
        </message>
        <message>
            <source>Quit Deskhand?</source>
            <translation>Deskhand beenden?</translation>
        </message>
        <message numerus="yes">
            <source>%n sessions are running. Quitting stops them.</source>
            <translation>
                <numerusform>Eine Sitzung läuft. Beenden hält sie an.</numerusform>
                <numerusform>%n Sitzungen laufen. Beenden hält sie an.</numerusform>
            </translation>
        </message>
    </context>
    <context>
        <name>app::ModelPage</name>
        <message>
            <source>No model yet</source>
            <translation>Noch kein Modell</translation>
        </message>
        <message>
            <source>Progress</source>
            <translation>Fortschritt</translation>
        </message>
        <message>
            <source>Context</source>
            <translation>Kontext</translation>
        </message>
        <message>
            <source>Context used</source>
            <translation>Benutzter Kontext</translation>
        </message>
        <message>
            <source>Pictures in mind</source>
            <translation>Bilder im Sinn</translation>
        </message>
        <message>
            <source>Reading</source>
            <translation>Lesen</translation>
        </message>
        <message>
            <source>Writing</source>
            <translation>Schreiben</translation>
        </message>
        <message>
            <source>Memory</source>
            <translation>Speicher</translation>
        </message>
        <message>
            <source>Runs on</source>
            <translation>Läuft auf</translation>
        </message>
        <message>
            <source>What it looked at</source>
            <translation>Worauf es geschaut hat</translation>
        </message>
        <message>
            <source>Layer</source>
            <translation>Schicht</translation>
        </message>
        <message>
            <source>Draw it over the screen</source>
            <translation>Über den Bildschirm zeichnen</translation>
        </message>
        <message>
            <source>Loading: %1</source>
            <translation>Lädt: %1</translation>
        </message>
        <message>
            <source>Reads %1 of %2 new tokens</source>
            <translation>Liest %1 von %2 neuen Token</translation>
        </message>
        <message>
            <source>Reads</source>
            <translation>Liest</translation>
        </message>
        <message>
            <source>Writes</source>
            <translation>Schreibt</translation>
        </message>
        <message>
            <source>Rests</source>
            <translation>Ruht</translation>
        </message>
        <message>
            <source>%1 of %2 tokens</source>
            <translation>%1 von %2 Token</translation>
        </message>
        <message>
            <source>%1, %2 tokens</source>
            <translation>%1, %2 Token</translation>
        </message>
        <message>
            <source>%1 tokens/s</source>
            <translation>%1 Token/s</translation>
        </message>
        <message>
            <source>%1 weights, %2 cache</source>
            <translation>%1 Gewichte, %2 Cache</translation>
        </message>
        <message>
            <source>All layers</source>
            <translation>Alle Schichten</translation>
        </message>
        <message>
            <source>Layer %1</source>
            <translation>Schicht %1</translation>
        </message>
        <message>
            <source>Draw it over the transcript</source>
            <translation>Über das Protokoll zeichnen</translation>
        </message>
        <message>
            <source>Loads %1 of %2</source>
            <translation>Lädt %1 von %2</translation>
        </message>
        <message>
            <source>, %1/s, %2 left</source>
            <translation>, %1/s, noch %2</translation>
        </message>
    </context>
    <context>
        <name>app::PlanView</name>
        <message>
            <source>Plan</source>
            <translation>Plan</translation>
        </message>
        <message>
            <source>Show when this was worked on</source>
            <translation>Zeigen, wann daran gearbeitet wurde</translation>
        </message>
        <message>
            <source>No plan yet. A task of several steps gets one.</source>
            <translation>Noch kein Plan. Eine Aufgabe mit mehreren Schritten bekommt einen.</translation>
        </message>
    </context>
    <context>
        <name>app::QuestionPanel</name>
        <message>
            <source>Question of the model</source>
            <translation>Frage des Modells</translation>
        </message>
        <message>
            <source>Your answer</source>
            <translation>Deine Antwort</translation>
        </message>
        <message>
            <source>No answer</source>
            <translation>Keine Antwort</translation>
        </message>
        <message>
            <source>Answer</source>
            <translation>Antworten</translation>
        </message>
    </context>
    <context>
        <name>app::ScreenPane</name>
        <message>
            <source>Back to live</source>
            <translation>Zurück zu jetzt</translation>
        </message>
        <message>
            <source>Compare before and after</source>
            <translation>Vorher und nachher vergleichen</translation>
        </message>
        <message>
            <source>Zoom out</source>
            <translation>Verkleinern</translation>
        </message>
        <message>
            <source>Zoom in</source>
            <translation>Vergrößern</translation>
        </message>
        <message>
            <source>Fit</source>
            <translation>Einpassen</translation>
        </message>
        <message>
            <source>Previous action</source>
            <translation>Vorige Aktion</translation>
        </message>
        <message>
            <source>Play</source>
            <translation>Abspielen</translation>
        </message>
        <message>
            <source>Next action</source>
            <translation>Nächste Aktion</translation>
        </message>
        <message>
            <source>Hold</source>
            <translation>Anhalten</translation>
        </message>
        <message>
            <source>Speed</source>
            <translation>Tempo</translation>
        </message>
        <message>
            <source>No picture of a screen was recorded until here.</source>
            <translation>Bis hierher wurde kein Bild eines Bildschirms aufgezeichnet.</translation>
        </message>
        <message>
            <source>You have the wheel: click and type on the picture</source>
            <translation>Du hast das Steuer: klicke und tippe auf dem Bild</translation>
        </message>
        <message>
            <source>Live</source>
            <translation>Jetzt</translation>
        </message>
        <message>
            <source>Last picture</source>
            <translation>Letztes Bild</translation>
        </message>
        <message>
            <source>Run from here</source>
            <translation>Von hier an ausführen</translation>
        </message>
        <message>
            <source>A new session goes on from this moment</source>
            <translation>Eine neue Sitzung geht von diesem Moment an weiter</translation>
        </message>
        <message>
            <source>Cut from here (I)</source>
            <translation>Ab hier ausschneiden (I)</translation>
        </message>
        <message>
            <source>Cut until here (O)</source>
            <translation>Bis hier ausschneiden (O)</translation>
        </message>
        <message>
            <source>Export the part</source>
            <translation>Den Ausschnitt exportieren</translation>
        </message>
        <message>
            <source>Forget the cut</source>
            <translation>Ausschnitt verwerfen</translation>
        </message>
    </context>
    <context>
        <name>app::ScreenView</name>
        <message>
            <source>Screen</source>
            <translation>Bildschirm</translation>
        </message>
        <message>
            <source>Before</source>
            <translation>Vorher</translation>
        </message>
        <message>
            <source>After</source>
            <translation>Nachher</translation>
        </message>
    </context>
    <context>
        <name>app::ServerForm</name>
        <message>
            <source>Address of the server</source>
            <translation>Adresse des Servers</translation>
        </message>
        <message>
            <source>Key, if it wants one</source>
            <translation>Schlüssel, falls nötig</translation>
        </message>
        <message>
            <source>Key of the server</source>
            <translation>Schlüssel des Servers</translation>
        </message>
        <message>
            <source>Test</source>
            <translation>Testen</translation>
        </message>
        <message>
            <source>Model of the server</source>
            <translation>Modell des Servers</translation>
        </message>
        <message>
            <source>Add this model</source>
            <translation>Dieses Modell hinzufügen</translation>
        </message>
        <message>
            <source>The server answers, but has no model.</source>
            <translation>Der Server antwortet, hat aber kein Modell.</translation>
        </message>
        <message>
            <source>Asking %1…</source>
            <translation>%1 wird gefragt …</translation>
        </message>
        <message numerus="yes">
            <source>It answers, and has %n models.</source>
            <translation>
                <numerusform>Er antwortet und hat %n Modell.</numerusform>
                <numerusform>Er antwortet und hat %n Modelle.</numerusform>
            </translation>
        </message>
        <message>
            <source>%1 (%2 tokens)</source>
            <translation>%1 (%2 Token)</translation>
        </message>
    </context>
    <context>
        <name>app::SessionPage</name>
        <message>
            <source>State of the session</source>
            <translation>Zustand der Sitzung</translation>
        </message>
        <message>
            <source>Take the wheel</source>
            <translation>Selbst steuern</translation>
        </message>
        <message>
            <source>Pauses it, and lets you work on its desktop yourself</source>
            <translation>Pausiert und lässt dich selbst auf seinem Desktop arbeiten</translation>
        </message>
        <message>
            <source>Pause</source>
            <translation>Pause</translation>
        </message>
        <message>
            <source>Stop</source>
            <translation>Stopp</translation>
        </message>
        <message>
            <source>Stops at once and lets go of mouse and keys (Ctrl+.)</source>
            <translation>Hält sofort an und lässt Maus und Tasten los (Strg+.)</translation>
        </message>
        <message>
            <source>Go on with it</source>
            <translation>Damit weitermachen</translation>
        </message>
        <message>
            <source>Activity</source>
            <translation>Verlauf</translation>
        </message>
        <message>
            <source>Plan</source>
            <translation>Plan</translation>
        </message>
        <message>
            <source>Model</source>
            <translation>Modell</translation>
        </message>
        <message>
            <source>Search in this session</source>
            <translation>In dieser Sitzung suchen</translation>
        </message>
        <message>
            <source>Export</source>
            <translation>Exportieren</translation>
        </message>
        <message>
            <source>Export the session</source>
            <translation>Sitzung exportieren</translation>
        </message>
        <message>
            <source>Exporting…</source>
            <translation>Wird exportiert…</translation>
        </message>
        <message>
            <source>Starting…</source>
            <translation>Startet…</translation>
        </message>
        <message>
            <source>Thinking</source>
            <translation>Denkt</translation>
        </message>
        <message>
            <source>Acting</source>
            <translation>Handelt</translation>
        </message>
        <message>
            <source>Waits for your answer</source>
            <translation>Wartet auf deine Antwort</translation>
        </message>
        <message>
            <source>Paused</source>
            <translation>Pausiert</translation>
        </message>
        <message>
            <source>Finished</source>
            <translation>Fertig</translation>
        </message>
        <message>
            <source>Ended</source>
            <translation>Beendet</translation>
        </message>
        <message>
            <source>Go on</source>
            <translation>Weiter</translation>
        </message>
        <message>
            <source>Give it back</source>
            <translation>Zurückgeben</translation>
        </message>
        <message>
            <source>Plan (%1)</source>
            <translation>Plan (%1)</translation>
        </message>
        <message>
            <source>Close session</source>
            <translation>Sitzung schließen</translation>
        </message>
        <message>
            <source>Closes this session; it stays in the list (Ctrl+W)</source>
            <translation>Schließt diese Sitzung; in der Liste bleibt sie (Strg+W)</translation>
        </message>
        <message>
            <source>Close this session?</source>
            <translation>Diese Sitzung schließen?</translation>
        </message>
        <message>
            <source>This session is running. Closing stops it; what it has done stays in the list.</source>
            <translation>Diese Sitzung läuft. Schließen hält sie an; was sie getan hat, bleibt in der Liste.</translation>
        </message>
        <message>
            <source>Keep working</source>
            <translation>Weiterarbeiten</translation>
        </message>
        <message>
            <source>Close</source>
            <translation>Schließen</translation>
        </message>
    </context>
    <context>
        <name>app::SettingsPage</name>
        <message>
            <source>Settings</source>
            <translation>Einstellungen</translation>
        </message>
        <message>
            <source>Search settings</source>
            <translation>Einstellungen durchsuchen</translation>
        </message>
        <message>
            <source>Appearance</source>
            <translation>Aussehen</translation>
        </message>
        <message>
            <source>As the desktop</source>
            <translation>Wie der Desktop</translation>
        </message>
        <message>
            <source>Light</source>
            <translation>Hell</translation>
        </message>
        <message>
            <source>Dark</source>
            <translation>Dunkel</translation>
        </message>
        <message>
            <source>Theme</source>
            <translation>Farbschema</translation>
        </message>
        <message>
            <source>Language</source>
            <translation>Sprache</translation>
        </message>
        <message>
            <source>Work</source>
            <translation>Arbeit</translation>
        </message>
        <message>
            <source>At once</source>
            <translation>Sofort</translation>
        </message>
        <message>
            <source>A moment</source>
            <translation>Einen Moment</translation>
        </message>
        <message>
            <source>Slowly</source>
            <translation>Langsam</translation>
        </message>
        <message>
            <source>Show each action before it happens</source>
            <translation>Jede Aktion zeigen, bevor sie geschieht</translation>
        </message>
        <message>
            <source>Its target is drawn on the picture for so long.</source>
            <translation>So lange wird ihr Ziel auf dem Bild gezeigt.</translation>
        </message>
        <message>
            <source>Notifications</source>
            <translation>Benachrichtigungen</translation>
        </message>
        <message>
            <source>When a session has finished or waits for you, and the window isn't in front.</source>
            <translation>Wenn eine Sitzung fertig ist oder auf dich wartet und das Fenster nicht vorne ist.</translation>
        </message>
        <message>
            <source>Network for commands</source>
            <translation>Netz für Befehle</translation>
        </message>
        <message>
            <source>Off: commands run without any network. On: each use is still judged by the rules below.</source>
            <translation>Aus: Befehle laufen ganz ohne Netz. An: für jede Nutzung gelten weiter die Regeln unten.</translation>
        </message>
        <message>
            <source>Models</source>
            <translation>Modelle</translation>
        </message>
        <message>
            <source>Add a folder…</source>
            <translation>Ordner hinzufügen…</translation>
        </message>
        <message>
            <source>A MiniMax-M3 checkpoint</source>
            <translation>Ein MiniMax-M3-Checkpoint</translation>
        </message>
        <message>
            <source>MiniMax-M3 on this machine</source>
            <translation>MiniMax-M3 auf diesem Rechner</translation>
        </message>
        <message>
            <source>A folder with config.json, weights, tokenizer.json and chat_template.jinja.</source>
            <translation>Ein Ordner mit config.json, Gewichten, tokenizer.json und chat_template.jinja.</translation>
        </message>
        <message>
            <source>Forget %1</source>
            <translation>%1 vergessen</translation>
        </message>
        <message>
            <source>Permissions</source>
            <translation>Rechte</translation>
        </message>
        <message>
            <source>Allow</source>
            <translation>Erlauben</translation>
        </message>
        <message>
            <source>Ask</source>
            <translation>Fragen</translation>
        </message>
        <message>
            <source>Deny</source>
            <translation>Ablehnen</translation>
        </message>
        <message>
            <source>What the model does: %1</source>
            <translation>Was das Modell tut: %1</translation>
        </message>
        <message>
            <source>The model %1</source>
            <translation>Das Modell %1</translation>
        </message>
        <message>
            <source>never so far</source>
            <translation>bisher nie</translation>
        </message>
        <message numerus="yes">
            <source>%n times so far</source>
            <translation>
                <numerusform>bisher einmal</numerusform>
                <numerusform>bisher %n Mal</numerusform>
            </translation>
        </message>
        <message>
            <source>Your data</source>
            <translation>Deine Daten</translation>
        </message>
        <message>
            <source>Sessions</source>
            <translation>Sitzungen</translation>
        </message>
        <message>
            <source>Export…</source>
            <translation>Exportieren…</translation>
        </message>
        <message>
            <source>Import…</source>
            <translation>Importieren…</translation>
        </message>
        <message>
            <source>Export settings</source>
            <translation>Einstellungen exportieren</translation>
        </message>
        <message>
            <source>Import settings</source>
            <translation>Einstellungen importieren</translation>
        </message>
        <message>
            <source>Nothing leaves this machine</source>
            <translation>Nichts verlässt diesen Rechner</translation>
        </message>
        <message>
            <source>No account, no telemetry. Only a model server that you name yourself, and the network where you allow it.</source>
            <translation>Kein Konto, keine Telemetrie. Nur ein Modellserver, den du selbst nennst, und das Netz, wo du es erlaubst.</translation>
        </message>
        <message>
            <source>Test</source>
            <translation>Testen</translation>
        </message>
        <message>
            <source>Test %1</source>
            <translation>%1 testen</translation>
        </message>
        <message>
            <source>Model servers</source>
            <translation>Modellserver</translation>
        </message>
        <message>
            <source>A server that speaks OpenAI's language</source>
            <translation>Ein Server, der OpenAIs Sprache spricht</translation>
        </message>
        <message>
            <source>vLLM, SGLang and llama.cpp do. What the model sees and reads is sent there, and nowhere else.</source>
            <translation>vLLM, SGLang und llama.cpp tun das. Was das Modell sieht und liest, geht dorthin und sonst nirgendwohin.</translation>
        </message>
        <message>
            <source>This machine</source>
            <translation>Dieser Rechner</translation>
        </message>
        <message>
            <source>Check now</source>
            <translation>Jetzt prüfen</translation>
        </message>
        <message>
            <source>What works here</source>
            <translation>Was hier geht</translation>
        </message>
        <message>
            <source>Tries all that Deskhand needs, and says what to do where it fails.</source>
            <translation>Probiert alles, was Deskhand braucht, und sagt, was zu tun ist, wo es scheitert.</translation>
        </message>
        <message>
            <source>Lasting answers</source>
            <translation>Bleibende Antworten</translation>
        </message>
        <message>
            <source>What you answered with “Always”. What you forget here is asked again.</source>
            <translation>Was du mit „Immer“ beantwortet hast. Was du hier vergisst, wird wieder gefragt.</translation>
        </message>
        <message>
            <source>Allowed: the model %1</source>
            <translation>Erlaubt: Das Modell %1</translation>
        </message>
        <message>
            <source>Denied: the model %1</source>
            <translation>Verweigert: Das Modell %1</translation>
        </message>
    </context>
    <context>
        <name>app::Sidebar</name>
        <message>
            <source>New task</source>
            <translation>Neue Aufgabe</translation>
        </message>
        <message>
            <source>Ctrl+N</source>
            <translation>Strg+N</translation>
        </message>
        <message>
            <source>Search sessions</source>
            <translation>Sitzungen durchsuchen</translation>
        </message>
        <message>
            <source>Sessions</source>
            <translation>Sitzungen</translation>
        </message>
        <message>
            <source>Settings</source>
            <translation>Einstellungen</translation>
        </message>
    </context>
    <context>
        <name>app::TimelineView</name>
        <message>
            <source>Timeline</source>
            <translation>Zeitleiste</translation>
        </message>
        <message>
            <source>Arrow keys step from action to action, Space plays, End goes to the present; I and O cut out a part, Escape forgets it</source>
            <translation>Pfeiltasten gehen von Aktion zu Aktion, die Leertaste spielt ab, Ende geht zur Gegenwart; I und O schneiden einen Teil aus, Escape verwirft ihn</translation>
        </message>
    </context>
    <context>
        <name>app::TranscriptView</name>
        <message>
            <source>Transcript</source>
            <translation>Verlauf</translation>
        </message>
    </context>
    <context>
        <name>app::TrayIcon</name>
        <message>
            <source>Show the window</source>
            <translation>Fenster zeigen</translation>
        </message>
        <message>
            <source>Stop everything</source>
            <translation>Alles anhalten</translation>
        </message>
        <message>
            <source>Quit</source>
            <translation>Beenden</translation>
        </message>
        <message numerus="yes">
            <source>%n sessions wait for you</source>
            <translation>
                <numerusform>Eine Sitzung wartet auf dich</numerusform>
                <numerusform>%n Sitzungen warten auf dich</numerusform>
            </translation>
        </message>
        <message numerus="yes">
            <source>%n sessions at work</source>
            <translation>
                <numerusform>Eine Sitzung arbeitet</numerusform>
                <numerusform>%n Sitzungen arbeiten</numerusform>
            </translation>
        </message>
        <message>
            <source>Nothing is running</source>
            <translation>Nichts läuft</translation>
        </message>
    </context>
</TS>
