/** The oldest Node that undock runs on. */
export const OLDEST = [22, 18]

export function isNewEnough(version = process.versions.node) {
  const [major, minor] = version.split('.').map(Number)
  return major > OLDEST[0] || (major === OLDEST[0] && minor >= OLDEST[1])
}

/** A sentence for an older Node. */
export const tooOld = () =>
  `undock needs Node ${OLDEST.join('.')} or newer, and this is ${process.version}: ${process.execPath}`

/** The npm package of a Node that is new enough for all of undock: what it holds for this platform is `program`. */
export function newerNode() {
  const platform = `${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  return {
    name: `node-${platform === 'darwin-arm64' ? 'bin-darwin-arm64' : platform}`,
    version: '24.21.0',
    program: process.platform === 'win32' ? 'bin/node.exe' : 'bin/node',
  }
}
