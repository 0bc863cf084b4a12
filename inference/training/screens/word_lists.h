#pragma once
// Word lists of the screen generator, by language; blank-separated.

namespace screens {

inline constexpr const char* kUiWords =
    "File Edit View Help Save Open Close Cancel OK Apply Settings Search Replace Undo Redo Copy Paste Cut Delete New "
    "Print "
    "Export Import Tools Window Format Insert Next Previous Back Forward Reload Home Stop Start Pause Resume Login "
    "Logout "
    "Submit Reset Browse Upload Download Share Send Reply Archive Name Email Password Address Phone City Country Date "
    "Time "
    "Title Notes Options Advanced General Network Display Sound Power About Quit Exit Zoom Fit Select All None Yes No "
    "Retry "
    "Ignore Continue Finish Install Remove Update Properties Rename Move Folder Terminal Editor Calculator Clock Mail "
    "Music "
    "Video Photos Preferences Bookmarks History Find Refresh Add Clear Connect Disconnect Enable Disable Details "
    "Language "
    "Region Keyboard Mouse Printer Users Account Privacy Security Backup Restore Sync Accept Decline Discard Skip Done "
    "Run "
    "Build Debug Test Compile Sort Filter Group Layout Theme Font Color Size Style Width Height Left Right Top Bottom "
    "Center "
    "Bold Italic Underline Wrap Grid Ruler Toolbar Sidebar Fullscreen Properties Page Document Table Row Column Sheet "
    "Chart "
    "Image Link Comment Review Track Merge Split Lock Unlock Pin Play Record Mute Volume Shuffle Repeat Playlist Album "
    "Artist "
    "Genre Rating Subject From To Attach Draft Sent Inbox Spam Trash Contacts Calendar Tasks Today Week Month Year "
    "Event "
    "Reminder Location Map Route Traffic Weather Alarm Timer Stopwatch Brightness Contrast Resolution Scale Wallpaper "
    "Icons "
    "Fonts Startup Services Packages Drivers Storage Memory Processor Disk Partition Mount Eject Format Scan Report "
    "Log";

inline constexpr const char* kLanguages[] = {
    "apple river stone market garden window silver copper basket candle winter summer spring autumn bridge castle "
    "forest "
    "island meadow harbor engine signal planet rocket satellite meteor galaxy orbit crystal diamond marble granite "
    "velvet cotton "
    "linen leather paper pencil brush canvas poster mirror lantern kettle saucer spoon ladder hammer chisel anchor "
    "compass "
    "sailor captain pirate teacher student doctor nurse farmer baker painter writer singer dancer driver pilot soldier "
    "king "
    "queen prince knight dragon wizard giant monster tiger lion eagle falcon sparrow raven salmon turtle rabbit "
    "squirrel "
    "badger otter beaver walnut almond cherry lemon orange banana mango melon pepper garlic onion carrot potato tomato "
    "cabbage spinach bread butter cheese honey sugar coffee ticket voucher invoice budget salary project meeting "
    "agenda report "
    "summary deadline milestone feature version release branch commit server client socket buffer kernel thread "
    "process module "
    "package library header source target output input stream record field value index query schema table cursor "
    "backup "
    "quick brown lazy bright dark heavy light small large early late young old brave calm eager gentle happy kind "
    "lively proud "
    "quiet rapid sharp smooth strong sweet tidy warm wild wise yellow green blue purple white black hidden broken "
    "frozen lucky "
    "seven eleven twelve twenty thirty forty hundred thousand million north south east west inside outside above below",
    "Datei Bearbeiten Ansicht Hilfe Speichern Öffnen Schließen Abbrechen Einstellungen Suchen Ersetzen Rückgängig "
    "Kopieren "
    "Einfügen Löschen Drucken Fenster Straße Größe Farbe Schriftart Ordner Übersicht Benutzer Kennwort Anmelden Zurück "
    "Weiter "
    "Fertig Übernehmen Bücher Tür Küche Garten Wasser Feuer Himmel Erde Schlüssel Brücke Zug Flughafen Rechnung "
    "Angebot Kunde "
    "Termin Woche Monat Jahr heute morgen gestern schnell langsam groß klein schön grün blau weiß schwarz fünf zwölf",
    "Fichier Édition Affichage Aide Enregistrer Ouvrir Fermer Annuler Paramètres Rechercher Remplacer Rétablir Copier "
    "Coller "
    "Supprimer Imprimer Fenêtre Dossier Réseau Écran Clavier Souris Précédent Suivant Terminer Déconnexion Connexion "
    "Été hiver "
    "forêt rivière château maison jardin école élève février août décembre numéro téléphone adresse modèle système "
    "réglage "
    "période première dernière légère où déjà très après gâteau pâte crème façade reçu leçon garçon français",
    "Archivo Edición Ver Ayuda Guardar Abrir Cerrar Cancelar Configuración Buscar Reemplazar Deshacer Copiar Pegar "
    "Eliminar "
    "Imprimir Ventana Carpeta Contraseña Tamaño Año mañana niño español corazón canción página teléfono dirección "
    "número árbol "
    "pájaro lápiz camión avión jardín música público rápido último próximo también después señal montaña pequeño "
    "diseño",
    "File Modifica Visualizza Aiuto Salva Apri Chiudi Annulla Impostazioni Cerca Sostituisci Copia Incolla Elimina "
    "Stampa "
    "Finestra Cartella Rete Schermo Tastiera città università perché così più libertà qualità attività domani oggi "
    "giardino "
    "cucina finestra strada albero fiore montagna fiume castello bicicletta stazione",
    "Arquivo Editar Exibir Ajuda Salvar Abrir Fechar Cancelar Configurações Procurar Substituir Copiar Colar Excluir "
    "Imprimir "
    "Janela Pasta Senha Usuário coração estação informação português maçã avô irmão manhã amanhã também não são João "
    "ação",
    "Bestand Bewerken Beeld Opslaan Openen Sluiten Annuleren Instellingen Zoeken Vervangen Kopiëren Plakken "
    "Verwijderen "
    "Afdrukken Venster Map Netwerk Scherm Toetsenbord vandaag morgen gisteren straat huis fiets station keuken tuin",
    "Arkiv Redigera Visa Hjälp Spara Öppna Stäng Avbryt Inställningar Sök Ersätt Kopiera Klistra Ta bort Skriv ut "
    "Fönster Mapp "
    "Nätverk Skärm Tangentbord idag imorgon igår gata hus cykel kök trädgård smörgås blåbär människa språk färg år",
    "Plik Edycja Widok Pomoc Zapisz Otwórz Zamknij Anuluj Ustawienia Szukaj Zamień Kopiuj Wklej Usuń Drukuj Okno "
    "Folder Sieć "
    "Ekran Klawiatura dziś jutro wczoraj ulica dom rower stacja kuchnia ogród źródło żółty święto łódź mąż pięć ćma "
    "język"};

inline constexpr const char* kSyllables =
    "ba be bi bo bu ca ce co cu da de di do du fa fe fi fo ga ge go ha he hi ho ja jo ju ka ke ki ko la le li lo lu ma "
    "me mi "
    "mo mu na ne ni no nu pa pe pi po ra re ri ro ru sa se si so su ta te ti to tu va ve vi vo wa we wi xa xe ya yo za "
    "ze zo "
    "bra cre dri fla glo kra pri sta stre tra sha chi tho whe ent ing ion est and ard ell ock ump ash";

inline constexpr const char* kPeople =
    "Anna Ben Clara David Emma Felix Greta Hugo Ida Jonas Klara Liam Mia Noah Olga Paul Rosa Simon Tina Victor Wanda "
    "Yara Zoe "
    "Adam Bella Carlos Diana Erik Fiona Gustav Hanna Ivan Julia Kevin Laura Martin Nina Oscar Petra Rafael Sara Thomas "
    "Ursula";

inline constexpr const char* kSurnames =
    "Miller Smith Garcia Rossi Müller Schmidt Dubois Novak Silva Jensen Kowalski Lindberg Moreau Fischer Weber Lopez "
    "Costa "
    "Bakker Visser Nilsson Andersen Walker Turner Cooper Bennett Parker Hughes Morgan Foster Russell Hayes Porter";

inline constexpr const char* kApplications =
    "Calculator|Text Editor|Terminal|File Manager|Web Browser|Mail|Music Player|Image "
    "Viewer|Settings|Spreadsheet|Calendar|"
    "Notes|Document Viewer|Task Manager|Archive Manager|Video Player|Paint|Clock|Contacts|Screenshot|Dictionary|Chess";

}  // namespace screens
