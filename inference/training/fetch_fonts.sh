#!/bin/bash
# Fonts for the screen generator from Debian's packages, without installing them: fetch_fonts.sh DIR
set -e
dir=$(mkdir -p "$1" && cd "$1" && pwd)
work=$(mktemp -d)
cd "$work"
apt-get download fonts-dejavu-core fonts-dejavu-extra fonts-cantarell fonts-open-sans fonts-roboto-unhinted fonts-inter fonts-karla fonts-clear-sans fonts-go \
  fonts-manrope fonts-freefont-ttf fonts-liberation2 fonts-crosextra-caladea fonts-crosextra-carlito fonts-noto-core fonts-noto-mono fonts-firacode \
  fonts-jetbrains-mono fonts-lato fonts-b612 fonts-hack fonts-paratype
for package in *.deb; do dpkg -x "$package" all; done
for name in DejaVuSans DejaVuSans-Bold DejaVuSansMono DejaVuSerif DejaVuSansCondensed Cantarell-Regular Cantarell-Bold OpenSans-Regular OpenSans-Bold \
  Roboto-Regular Roboto-Bold Inter-Regular Inter-Bold Karla-Regular Karla-Bold ClearSans-Regular ClearSans-Bold Go-Regular Go-Bold Go-Mono Manrope-Regular \
  Manrope-Bold FreeSans FreeSansBold LiberationSans-Regular LiberationSans-Bold LiberationSerif-Regular LiberationSerif-Bold LiberationMono-Regular \
  Caladea-Regular Caladea-Bold NotoSans-Regular NotoSans-Bold NotoMono-Regular FiraCode-Regular JetBrainsMono-Regular Lato-Regular Lato-Bold B612-Regular \
  B612-Bold Carlito-Regular Carlito-Bold NotoSerif-Regular NotoSerif-Bold Hack-Regular NotoSansMono-Regular PTS55F PTS75F PTF55F PTF75F PTM55F; do
  cp "$(find all -iname "$name.?tf" | head -1)" "$dir/"
done
rm -rf "$work"
