/** A PDF of the sample library, as HTML that Chromium prints. */
export type Paper = { readonly file: string; readonly html: string }

const COVER = `
  @page { size: 148mm 210mm; margin: 18mm 16mm 20mm; }
  @page :first { margin: 0; }
  body { font: 10.5pt/1.55 'Source Serif 4', Georgia, serif; color: #22201c; margin: 0; }
  .cover { height: 210mm; position: relative; overflow: hidden; break-after: page; font-family: Inter, system-ui, sans-serif; }
  .cover svg { position: absolute; inset: 0; width: 100%; height: 100%; }
  .cover .words { position: absolute; inset-inline: 14mm; }
  .cover .name { font-size: 29pt; line-height: 1.08; font-weight: 650; letter-spacing: -0.02em; margin: 0; }
  .cover .small { font-size: 10pt; letter-spacing: 0.06em; text-transform: uppercase; margin: 0 0 5mm; opacity: 0.85; }
  h1 { font: 600 19pt/1.2 'Source Serif 4', Georgia, serif; break-before: page; margin: 0 0 6mm; }
  h2 { font: 600 12.5pt/1.3 'Source Serif 4', Georgia, serif; margin: 6mm 0 2mm; }
  p { margin: 0 0 3mm; text-align: justify; hyphens: auto; }
  table { border-collapse: collapse; width: 100%; font: 9pt/1.4 Inter, system-ui, sans-serif; margin: 4mm 0; }
  th, td { border-bottom: 0.3mm solid #d8d2c4; padding: 1.6mm 2mm; text-align: left; }
  th { font-weight: 600; border-bottom-color: #6d675b; }
  figure { margin: 5mm 0; } figcaption { font: italic 9pt/1.4 'Source Serif 4', Georgia, serif; color: #5d574c; }`

type Cover = {
  readonly art: string
  readonly back: string
  readonly ink: string
  readonly small: string
  readonly top?: string
}

/** The shelf shows a cover's upper half, which has the drawing. */
function paper(file: string, title: string, { art, back, ink, small, top = '112mm' }: Cover, body: string): Paper {
  return {
    file,
    html: `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>${title}</title><style>${COVER}</style></head><body>
      <div class="cover" style="background:${back};color:${ink}">
        <svg viewBox="0 0 148 210" preserveAspectRatio="xMidYMid slice">${art}</svg>
        <div class="words" style="top:${top}"><p class="small">${small}</p><p class="name">${title}</p></div>
      </div>${body}</body></html>`,
  }
}

const rings = Array.from(
  { length: 16 },
  (_, ring) =>
    `<circle cx="74" cy="54" r="${4 + ring * 5.4}" fill="none" stroke="#f6d68b" stroke-width="${0.4 + ring * 0.09}"/>`,
).join('')

const waves = Array.from({ length: 15 }, (_, line) => {
  const y = 8 + line * 6.4
  const height = 3.6 + Math.sin(line) * 1.6
  const path = Array.from({ length: 8 }, (_, part) => `q 9.5 ${part % 2 ? height : -height} 19 0`).join(' ')
  return `<path d="M -4 ${y} ${path}" fill="none" stroke="#0d3b66" stroke-width="${0.5 + line * 0.12}" opacity="${0.35 + line * 0.04}"/>`
}).join('')

const TOWER = `<g transform="translate(0 -62)">
  <path d="M0 176 C 30 166 54 172 78 166 S 124 158 148 168 V 300 H 0 Z" fill="#0b2a26"/>
  <path d="M64 168 L69 92 H87 L92 168 Z" fill="#f3ede0"/><path d="M66.4 132 L67.6 114 H88.4 L89.6 132 Z" fill="#c8553d"/>
  <rect x="66" y="88" width="24" height="4" fill="#f3ede0"/><rect x="71" y="74" width="14" height="14" fill="#ffe6a3"/>
  <path d="M69 74 L78 64 L87 74 Z" fill="#c8553d"/>
  <path d="M71 81 L-10 62 V104 Z" fill="#ffe6a3" opacity="0.22"/><path d="M85 81 L158 66 V100 Z" fill="#ffe6a3" opacity="0.22"/></g>`

const PLAN = `
  ${Array.from({ length: 22 }, (_, line) => `<path d="M0 ${line * 10} H148 M${line * 10} 0 V210" stroke="#fff" stroke-width="0.15" opacity="0.25"/>`).join('')}
  <g fill="none" stroke="#fff" stroke-width="0.7" transform="translate(0 -88)"><circle cx="74" cy="138" r="40"/><circle cx="74" cy="138" r="30"/><circle cx="74" cy="138" r="9"/>
  ${Array.from({ length: 8 }, (_, part) => {
    const angle = (part * Math.PI) / 4
    return `<path d="M${74 + 9 * Math.cos(angle)} ${138 + 9 * Math.sin(angle)} L${74 + 30 * Math.cos(angle)} ${138 + 30 * Math.sin(angle)}"/>`
  }).join('')}
  <path d="M34 138 h-14 M114 138 h14 M74 98 v-8 M74 178 v8" stroke-dasharray="2 1"/></g>`

const HORN = `<g transform="translate(0 -98)">
  <path d="M0 120 H148 V132 H0 Z M0 144 H148 V156 H0 Z M0 168 H148 V180 H0 Z M0 192 H148 V210 H0 Z" fill="#8f1d14" opacity="0.55"/>
  <path d="M30 150 L96 118 V182 Z" fill="#fbeee0"/><ellipse cx="97" cy="150" rx="9" ry="33" fill="#fbeee0" stroke="#b3261e" stroke-width="2"/>
  <ellipse cx="97" cy="150" rx="4" ry="20" fill="#b3261e"/></g>`

const REPORT = `<g transform="translate(0 -98)">
  ${[38, 54, 47, 66, 81, 74, 96].map((height, bar) => `<rect x="${16 + bar * 17}" y="${188 - height}" width="11" height="${height}" fill="${bar === 6 ? '#e4572e' : '#1f3a5f'}" opacity="${bar === 6 ? 1 : 0.25 + bar * 0.1}"/>`).join('')}
  <path d="M14 188 H134" stroke="#1f3a5f" stroke-width="0.8"/></g>`

/** PDFs of a trust that keeps old lighthouses. */
export const PAPERS: readonly Paper[] = [
  paper(
    'skerry-point-survey.pdf',
    'Skerry Point: condition survey',
    {
      art: TOWER,
      back: 'linear-gradient(#12403a, #1d6256 55%, #e9a15b 130%)',
      ink: '#f3ede0',
      small: 'Survey 14 · September 2026',
    },
    `<h1>Summary</h1>
    <p>The tower at Skerry Point was surveyed on three days in September 2026. The masonry is sound. The lantern leaks at two of its sixteen panes, the gallery rail is loose on the seaward side, and the lens has a crack in its lowest prism that is older than the last survey.</p>
    <p>The light can be shown again in spring if the lantern is made tight before the winter. The lens should not be turned until its carriage has been cleaned: the mercury bath was drained in 1994 and the bearing has been dry since.</p>
    <table><tr><th>Part</th><th>Condition</th><th>Do it</th></tr><tr><td>Masonry</td><td>good</td><td>in five years</td></tr><tr><td>Lantern glass</td><td>two panes leak</td><td>before winter</td></tr><tr><td>Gallery rail</td><td>loose, seaward side</td><td>at once</td></tr><tr><td>Lens</td><td>one prism cracked</td><td>with the cleaning</td></tr><tr><td>Bearing</td><td>dry since 1994</td><td>before it turns</td></tr></table>
    <h1>The tower</h1><h2>Masonry</h2><p>The granite was pointed with lime in 1961 and has hardly moved since. Hairline cracks run above the second window; gauges set across them in March have not changed by more than a tenth of a millimetre. We recommend that they stay for another winter.</p><p>The limewash has failed below the gallery, where salt water runs off the cornice. A drip edge of lead would cost little and keep the wall dry.</p>
    <h2>Stairs and floors</h2><p>All 112 steps were loaded with two hundred kilograms. None moved. The oak floor of the watch room is soft around the weight tube and should be opened before anybody puts a cabinet on it.</p>
    <h1>The lantern</h1><h2>Glass</h2><p>Panes 5 and 6 face the prevailing wind and leak at their lower edge. Their putty is linseed of the original kind and has gone hard. Replace it with the same: silicone holds the water that gets behind it, and the iron rusts where nobody sees it.</p><h2>Ventilation</h2><p>A lamp that burns needs air, and a lamp that does not needs it more. The sixteen ventilators under the glazing were painted shut. Since they were freed in September the humidity in the lantern has fallen from 91 to 74 per cent.</p>
    <h1>The lens</h1><p>The lens is of the second order, eight panels, made in Paris in 1867. It weighs a little less than two tons. Seven panels are complete. In the eighth the lowest prism is cracked through, and someone has filled the crack with putty.</p><h2>What it can still do</h2><p>Measured with a lamp of 250 watts the beam reaches eighteen sea miles in clear air. The cracked prism costs two per cent of the light and can stay where it is.</p>
    <h1>Costs and order of work</h1><p>The rail comes first, because nobody may go out before it is mended. Then the two panes, the drip edge, the bearing and last the lens. Together the work takes nine weeks for two people and one conservator.</p>`,
  ),
  paper(
    'care-of-fresnel-lenses.pdf',
    'The care of Fresnel lenses',
    { art: rings, back: '#14213d', ink: '#f6d68b', small: 'Manual for keepers of historic lights' },
    `<h1>Before you begin</h1><p>A lens is glass, brass and putty. The glass is harder than your cloth and softer than the grit on it. Blow the dust away before anything touches the surface, and never wipe a dry prism.</p><h2>What you need</h2><p>Soft brushes, a hand bellows, distilled water, ethanol, lint-free cotton, nitrile gloves and twice the time you have planned.</p>
    <h1>Cleaning</h1><h2>Dust</h2><p>Work from the top to the bottom and from the inside to the outside. Hold the brush in one hand and the nozzle of the vacuum cleaner in the other, so that what comes off is gone before it falls.</p><h2>Grease</h2><p>Colza oil leaves a brown film that water does not take. One part ethanol in three parts of water does, with a swab that is used once. Keep the swab off the putty: ethanol softens it, and a prism that has slipped by a millimetre sends its light into the sea.</p>
    <h1>The mercury bath</h1><p>Rotating lenses float in mercury. Its vapour has no smell. Do not open the bath, do not drain it and do not top it up: call a firm that is licensed for it. Where the bath has been drained, the lens rests on its emergency rollers and must not be turned.</p>
    <h1>Light and heat</h1><p>Sun that falls on a lens is focused as well as the lamp's light is. Curtains were drawn in every lantern by day for this reason. A lens without curtains has set fire to its own tower more than once.</p>`,
  ),
  paper(
    'Tide tables 2027.pdf',
    'Tide tables 2027',
    { art: waves, back: 'linear-gradient(#e8f1f5, #a9cfe0)', ink: '#0d3b66', small: 'Northern approaches' },
    `<h1>How to read the tables</h1><p>Heights are in metres above the lowest astronomical tide, times in universal time. Add an hour in summer. With strong wind from the north the water stands up to forty centimetres higher and comes half an hour sooner.</p>${['January', 'February', 'March'].map((month, index) => `<h1>${month}</h1><table><tr><th>Day</th><th>High water</th><th>m</th><th>Low water</th><th>m</th></tr>${Array.from({ length: 14 }, (_, day) => `<tr><td>${day + 1}</td><td>${String((3 + day + index) % 12).padStart(2, '0')}:${String((day * 47) % 60).padStart(2, '0')}</td><td>${(4.1 + Math.sin(day / 2) * 0.8).toFixed(1)}</td><td>${String((9 + day + index) % 12).padStart(2, '0')}:${String((day * 31) % 60).padStart(2, '0')}</td><td>${(0.9 - Math.sin(day / 2) * 0.5).toFixed(1)}</td></tr>`).join('')}</table>`).join('')}`,
  ),
  paper(
    'Foghorn maintenance.pdf',
    'Foghorn maintenance',
    { art: HORN, back: '#b3261e', ink: '#fbeee0', small: 'Diaphone, type F' },
    `<h1>The air</h1><p>The horn needs two bar at the piston. Listen before you measure: a leak that sings is smaller than one that sighs. Drain the receivers each week, because the water in them freezes in the first cold night and blocks the valve.</p><h1>The piston</h1><p>The slotted piston wears at its rear collar. Replace it when the gap exceeds a quarter of a millimetre. A worn piston lowers the note by a third before it stops.</p><h1>When it will not sound</h1><p>Open the stop valve, check the timer, then the pilot line. Nine faults of ten are water in the pilot line.</p>`,
  ),
  paper(
    'Lamp room wiring.pdf',
    'Lamp room wiring',
    { art: PLAN, back: '#1c4e80', ink: '#ffffff', small: 'Drawing 7 of 12' },
    `<h1>Circuits</h1><p>Circuit one feeds the lamp and its changer, circuit two the motor, circuit three the sockets. The emergency lamp has its own battery and starts when circuit one fails for two seconds.</p><table><tr><th>Circuit</th><th>Fuse</th><th>Feeds</th></tr><tr><td>1</td><td>10 A</td><td>lamp, lamp changer</td></tr><tr><td>2</td><td>6 A</td><td>motor</td></tr><tr><td>3</td><td>16 A</td><td>sockets</td></tr></table><h1>Earth</h1><p>The lantern is bonded to the conductor at four points. Do not remove the bond at the door: it is the one that carries the strike.</p>`,
  ),
  paper(
    'annual-report-2025.pdf',
    'Annual report 2025',
    { art: REPORT, back: '#f6f1e7', ink: '#1f3a5f', small: 'The Northern Lights Trust' },
    `<h1>The year</h1><p>In 2025 the trust kept eleven lights, opened six of them to visitors and welcomed 48,200 people, a fifth more than the year before. Two towers came to us: Ness Head, which is in good order, and Skerry Point, which is not.</p><h1>Money</h1><table><tr><th>Income</th><th>£</th></tr><tr><td>Visitors</td><td>212,400</td></tr><tr><td>Members</td><td>96,100</td></tr><tr><td>Grants</td><td>340,000</td></tr></table><p>We spent a little more than we had, as we said that we would, and put the difference into glass.</p>`,
  ),
]
