#!/bin/bash
# Fonts for the screen generator from Debian's packages, without installing them: fetch_fonts.sh DIR   (needs fonttools)
# Only their Latin letters and signs are kept, so that a pack stays small.
set -e
dir=$(mkdir -p "$1" && cd "$1" && pwd)
work=$(mktemp -d)
cd "$work"
apt-get download fonts-dejavu-core fonts-dejavu-extra fonts-cantarell fonts-open-sans fonts-roboto-unhinted fonts-inter fonts-karla fonts-clear-sans fonts-go \
  fonts-manrope fonts-freefont-ttf fonts-liberation2 fonts-crosextra-caladea fonts-crosextra-carlito fonts-noto-core fonts-noto-mono fonts-firacode \
  fonts-jetbrains-mono fonts-lato fonts-b612 fonts-hack fonts-paratype fonts-sil-andika fonts-cabin fonts-junction fonts-linuxlibertine fonts-adf-gillius \
  fonts-adf-libris fonts-adf-universalis fonts-adf-verana fonts-adf-tribun fonts-adf-baskervald fonts-urw-base35 fonts-national-park fonts-mplus fonts-oxygen \
  fonts-comic-neue fonts-dosis fonts-quicksand fonts-averia-sans-gwf fonts-lmodern fonts-play fonts-sil-charis fonts-sil-gentium-basic fonts-ebgaramond \
  fonts-roboto-slab fonts-vollkorn fonts-fantasque-sans fonts-inconsolata fonts-mononoki fonts-league-mono fonts-agave fonts-hermit fonts-monoid
for package in *.deb; do dpkg -x "$package" all; done
for name in DejaVuSans DejaVuSans-Bold DejaVuSansMono DejaVuSerif DejaVuSansCondensed Cantarell-Regular Cantarell-Bold OpenSans-Regular OpenSans-Bold \
  Roboto-Regular Roboto-Bold Inter-Regular Inter-Bold Karla-Regular Karla-Bold ClearSans-Regular ClearSans-Bold Go-Regular Go-Bold Go-Mono Manrope-Regular \
  Manrope-Bold FreeSans FreeSansBold LiberationSans-Regular LiberationSans-Bold LiberationSerif-Regular LiberationSerif-Bold LiberationMono-Regular \
  Caladea-Regular Caladea-Bold NotoSans-Regular NotoSans-Bold NotoMono-Regular FiraCode-Regular JetBrainsMono-Regular Lato-Regular Lato-Bold B612-Regular \
  B612-Bold Carlito-Regular Carlito-Bold NotoSerif-Regular NotoSerif-Bold Hack-Regular NotoSansMono-Regular PTS55F PTS75F PTF55F PTF75F PTM55F \
  Andika-Regular Andika-Bold Cabin-Regular Cabin-Bold Junction LinBiolinum_R GilliusADF-Regular LibrisADFStd-Regular UniversalisADFStd-Regular \
  VeranaSans-Regular URWGothic-Book NationalPark-Regular Mplus1-Regular Oxygen-Sans ComicNeue-Regular Dosis-Medium Quicksand-Medium AveriaSansGWF-Regular \
  lmsans10-regular Play-Regular CharisSIL-Regular GenBasR EBGaramond12-Regular LinLibertine_R TribunADFStd-Regular BaskervaldADFStd C059-Roman P052-Roman \
  RobotoSlab-Regular Vollkorn-Regular FantasqueSansMono-Regular Inconsolata mononoki-Regular NimbusMonoPS-Regular LeagueMono-Regular Mplus1Code-Regular \
  OxygenMono-Regular agave-r-autohinted Hermit-medium Monoid-Regular lmmono10-regular; do
  file=$(find all -iname "$name.?tf" | head -1)
  pyftsubset "$file" --output-file="$dir/$(basename "$file")" --unicodes=U+0020-024F,U+02B0-036F,U+2000-206F,U+20A0-20BF,U+2100-23FF,U+2500-27BF,U+FB00-FB04 \
    --layout-features='*' --name-IDs='*' --name-languages='*' --legacy-kern --notdef-outline --no-prune-unicode-ranges --ignore-missing-unicodes
done
rm -rf "$work"
