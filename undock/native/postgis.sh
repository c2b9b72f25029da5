#!/bin/sh
# Builds PostGIS and the libraries that it needs. build.ts calls it with
#   SOURCE, PROJ      the sources of PostGIS and PROJ
#   DEBIAN            Debian 12's packages with the other libraries, unpacked
#   PG_CONFIG, FLAGS  the server's headers, and variables of every makefile
#   INSTALLED, DRAFT  folders for what `make install` writes, and for the result
set -eu
jobs=$(nproc)
libraries=$DEBIAN/usr/lib/$(cc -dumpmachine)
export PKG_CONFIG_LIBDIR="$libraries/pkgconfig" PKG_CONFIG_SYSROOT_DIR="$DEBIAN"
export PATH="$DEBIAN/usr/bin:$PATH" LD_LIBRARY_PATH="$libraries"
export C_INCLUDE_PATH="$C_INCLUDE_PATH:$DEBIAN/usr/include" CPLUS_INCLUDE_PATH="$DEBIAN/usr/include"
[ -h "$DEBIAN/lib" ] || cp -a "$DEBIAN/lib/." "$DEBIAN/usr/lib/"
for one in geos-config sfcgal-config xml2-config; do sed -i "s#^prefix=/usr#prefix=$DEBIAN/usr#" "$DEBIAN/usr/bin/$one"; done

# Debian's PROJ brings libcurl and 30 more libraries. This one reads no network, and its own data before that of PROJ_DATA.
cmake -S "$PROJ" -B "$PROJ.build" -DCMAKE_BUILD_TYPE=Release -DCMAKE_INSTALL_PREFIX="$PROJ.installed" \
  -DCMAKE_INSTALL_LIBDIR=lib -DENABLE_CURL=OFF -DENABLE_TIFF=OFF -DBUILD_APPS=OFF -DBUILD_TESTING=OFF \
  -DPROJ_DATA_ENV_VAR_TRIED_LAST=ON -DEXE_SQLITE3="$DEBIAN/usr/bin/sqlite3" \
  -DSQLITE3_INCLUDE_DIR="$DEBIAN/usr/include" -DSQLITE3_LIBRARY="$libraries/libsqlite3.so"
cmake --build "$PROJ.build" -j "$jobs"
cmake --install "$PROJ.build"

cd "$SOURCE"
# Its programs, which use libpq, are not built.
ac_cv_lib_pq_PQserverVersion=yes ./configure --with-pgconfig="$PG_CONFIG" --without-raster --without-gui --without-interrupt-tests \
  --with-projdir="$PROJ.installed" --with-pcredir="$DEBIAN/usr" --without-phony-revision --disable-extension-upgrades-install \
  CFLAGS='-O2 -fno-strict-aliasing -fwrapv' LDFLAGS="-L$libraries -Wl,-rpath-link,$libraries"
for part in liblwgeom deps libpgcommon postgis topology sfcgal; do make -C $part -j "$jobs" $FLAGS; done
# Its parts write the same files.
make -C extensions $FLAGS
for part in postgis topology sfcgal extensions; do make -C $part install $FLAGS DESTDIR="$INSTALLED"; done

# Not the scripts that bring another version up to date.
version=$(sed -n "s/^default_version = '\(.*\)'/\1/p" extensions/postgis/postgis.control)
mkdir -p "$DRAFT/lib/postgis/lib" "$DRAFT/lib/postgis/share/proj" "$DRAFT/share/extension"
for control in "$INSTALLED"/undock/share/extension/*.control; do
  cp "$control" "${control%.control}--$version.sql" "$DRAFT/share/extension/"
done
find "$INSTALLED/undock/lib" -name '*.so' -type f -exec cp {} "$DRAFT/lib/" \;
cp "$PROJ.installed/share/proj/proj.db" "$PROJ.installed/share/proj/proj.ini" "$DRAFT/lib/postgis/share/proj/"

# The libraries of the server and of every machine with Node stay the ones there.
copy_libraries() {
  for name in $(readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]/\1/p'); do
    case $name in libxml2.* | libstdc++.* | libgcc_s.* | libc.* | libm.* | ld-linux*) continue ;; esac
    [ -e "$DRAFT/lib/postgis/lib/$name" ] && continue
    for folder in "$PROJ.installed/lib" "$libraries"; do [ ! -e "$folder/$name" ] || cp -L "$folder/$name" "$DRAFT/lib/postgis/lib/"; done
    copy_libraries "$DRAFT/lib/postgis/lib/$name"
  done
}
for one in "$DRAFT"/lib/*.so; do
  copy_libraries "$one"
  patchelf --set-rpath '$ORIGIN/postgis/lib' "$one"
done
patchelf --set-rpath '$ORIGIN' "$DRAFT"/lib/postgis/lib/*
strip --strip-unneeded "$DRAFT"/lib/*.so "$DRAFT"/lib/postgis/lib/*

cp COPYING LICENSE.TXT "$DRAFT/"
cp "$PROJ/COPYING" "$DRAFT/COPYING.proj"
for package in libgeos-c1v5 libjson-c5 libprotobuf-c1 libpcre2-8-0 libsqlite3-0 libsfcgal1 libgmp10 libmpfr6 libboost-serialization1.74.0; do
  cp "$DEBIAN/usr/share/doc/$package/copyright" "$DRAFT/copyright.$package"
done
