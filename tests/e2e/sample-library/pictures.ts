/** A picture of the sample library, as SVG that Chromium draws. */
export type Picture = { readonly file: string; readonly width: number; readonly height: number; readonly svg: string }

const stars = Array.from(
  { length: 70 },
  (_, star) =>
    `<circle cx="${(star * 167) % 1200}" cy="${(star * 71) % 380}" r="${0.8 + (star % 3) * 0.5}" fill="#fff" opacity="${0.25 + (star % 5) * 0.12}"/>`,
).join('')

const sea = Array.from(
  { length: 26 },
  (_, line) =>
    `<path d="M${((line * 97) % 300) - 200} ${560 + line * 10} q 120 ${6 + (line % 4)} 260 0 t 420 0 t 420 0 t 420 0" fill="none" stroke="#f9c784" stroke-width="${0.6 + line * 0.12}" opacity="${0.32 - line * 0.009}"/>`,
).join('')

const prisms = Array.from({ length: 11 }, (_, ring) => {
  const radius = 60 + ring * 30
  return `<circle cx="600" cy="400" r="${radius}" fill="none" stroke="url(#glass)" stroke-width="${17 - ring * 0.7}" opacity="${0.92 - ring * 0.05}"/>
    <circle cx="600" cy="400" r="${radius + 9}" fill="none" stroke="#1d1508" stroke-width="2" opacity="0.55"/>`
}).join('')

export const PICTURES: readonly Picture[] = [
  {
    file: 'Skerry point at dusk.png',
    width: 1200,
    height: 800,
    svg: `<defs><linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#1b2845"/><stop offset="0.45" stop-color="#5b4a72"/><stop offset="0.68" stop-color="#e8825d"/><stop offset="0.7" stop-color="#f6b26b"/></linearGradient>
      <linearGradient id="beam" x1="1" y1="0" x2="0" y2="0"><stop offset="0" stop-color="#fff3c4" stop-opacity="0.75"/><stop offset="1" stop-color="#fff3c4" stop-opacity="0"/></linearGradient>
      <linearGradient id="water" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#8a5566"/><stop offset="1" stop-color="#16213d"/></linearGradient></defs>
      <rect width="1200" height="800" fill="url(#sky)"/>${stars}<circle cx="360" cy="548" r="46" fill="#ffd9a0"/>
      <rect y="555" width="1200" height="245" fill="url(#water)"/>${sea}
      <path d="M700 800 C 740 640 800 600 860 590 C 940 578 1010 600 1070 640 C 1130 680 1180 700 1200 720 V 800 Z" fill="#120f1a"/>
      <path d="M884 596 L898 300 H946 L960 596 Z" fill="#e9dfd0"/><path d="M890.6 460 L893.6 390 H950.4 L953.4 460 Z" fill="#9e3a2c"/>
      <path d="M922 596 L926 300 H946 L960 596 Z" fill="#000" opacity="0.25"/><rect x="888" y="288" width="68" height="12" fill="#2b2433"/>
      <rect x="902" y="246" width="40" height="42" fill="#fff1b8"/><path d="M896 246 L922 218 L948 246 Z" fill="#2b2433"/>
      <path d="M902 264 L-40 150 V 330 L902 274 Z" fill="url(#beam)"/>`,
  },
  {
    file: 'Lens before cleaning.png',
    width: 1200,
    height: 800,
    svg: `<defs><radialGradient id="glow"><stop offset="0" stop-color="#fff6d6"/><stop offset="0.3" stop-color="#f1b24a"/><stop offset="1" stop-color="#1a120a"/></radialGradient>
      <linearGradient id="glass" x1="0" y1="0" x2="1" y2="1"><stop offset="0" stop-color="#fffbe8"/><stop offset="0.5" stop-color="#8fb8a8"/><stop offset="1" stop-color="#3b5249"/></linearGradient></defs>
      <rect width="1200" height="800" fill="url(#glow)"/>${prisms}<circle cx="600" cy="400" r="42" fill="#fffdf2"/>
      <path d="M588 0 H612 V800 H588 Z M0 388 H1200 V412 H0 Z" fill="#6b4a1f" opacity="0.85"/>`,
  },
]
