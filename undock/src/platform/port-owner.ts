import { spawnSync } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'

/** Describes what listens on a TCP port of this machine; null if unknown. */
export async function portOwner(port: number): Promise<string | null> {
  if (process.platform === 'linux') return linuxOwner(port)
  if (process.platform === 'win32') return null
  const { stdout } = spawnSync('lsof', ['-nP', `-iTCP:${port}`, '-sTCP:LISTEN', '-Fpc'], { encoding: 'utf8' })
  const pid = /^p(\d+)$/m.exec(stdout ?? '')?.[1]
  const command = /^c(.+)$/m.exec(stdout ?? '')?.[1]
  return pid ? `process ${pid} (${command ?? 'unknown'})` : null
}

const LISTENING = '0A'

async function linuxOwner(port: number): Promise<string | null> {
  const inode = await listeningInode(port)
  if (!inode) return null
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    // Processes may end meanwhile, and others' descriptors may be unreadable.
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
    for (const descriptor of descriptors) {
      const target = await readlink(`/proc/${pid}/fd/${descriptor}`).catch(() => '')
      if (target === `socket:[${inode}]`) return `process ${pid} (${await commandOf(pid)})`
    }
  }
  return null
}

async function listeningInode(port: number): Promise<string | null> {
  const suffix = `:${port.toString(16).toUpperCase().padStart(4, '0')}`
  for (const table of ['/proc/net/tcp', '/proc/net/tcp6']) {
    const lines = (await readFile(table, 'utf8').catch(() => '')).split('\n').slice(1)
    for (const line of lines) {
      const [, local = '', , state, , , , , , inode] = line.trim().split(/\s+/)
      if (state === LISTENING && local.endsWith(suffix)) return inode ?? null
    }
  }
  return null
}

async function commandOf(pid: string): Promise<string> {
  const words = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')
  return words.split('\0').filter(Boolean).join(' ').slice(0, 120) || 'unknown'
}
