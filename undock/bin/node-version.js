/** The oldest Node that undock runs on. */
export const OLDEST = [22, 18]

export function isNewEnough(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

/** A sentence for an older Node. */
export const tooOld = () =>
  `undock needs Node ${OLDEST.join('.')} or newer, and this is ${process.version}: ${process.execPath}`
