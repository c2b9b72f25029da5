import { type FSWatcher, realpathSync, watch } from 'node:fs'
import { basename, dirname, join } from 'node:path'

/** Milliseconds during which changes are collected: editors save in several steps. */
const SETTLE = 60

export class FileWatch {
  readonly #onChange: (files: string[]) => void
  readonly #folders = new Map<string, FSWatcher>()
  /** Events are reported under the watched names, since several links may point to one file. */
  #files = new Map<string, Set<string>>()
  readonly #changed = new Set<string>()
  #timer: NodeJS.Timeout | null = null

  constructor(onChange: (files: string[]) => void) {
    this.#onChange = onChange
  }

  /** Replaces the set of files. A missing file is reported when it appears. */
  set(files: Iterable<string>): void {
    this.#files = new Map()
    for (const file of files)
      for (const path of [file, realPath(file)]) {
        const names = this.#files.get(path)
        if (names) names.add(file)
        else this.#files.set(path, new Set([file]))
      }
    const folders = new Set([...this.#files.keys()].map((file) => dirname(file)))
    for (const [folder, watcher] of this.#folders) {
      if (folders.has(folder)) continue
      watcher.close()
      this.#folders.delete(folder)
    }
    for (const folder of folders) {
      // Editors replace files rather than write to them; only a watch on the folder sees both.
      if (!this.#folders.has(folder)) this.#watch(folder)
    }
  }

  close(): void {
    if (this.#timer) clearTimeout(this.#timer)
    for (const watcher of this.#folders.values()) watcher.close()
    this.#folders.clear()
  }

  #watch(folder: string): void {
    try {
      const watcher = watch(folder, { persistent: false }, (_event, name) => {
        const files = name === null ? undefined : this.#files.get(join(folder, basename(name)))
        if (!files) return
        for (const file of files) this.#changed.add(file)
        this.#timer ??= setTimeout(() => this.#flush(), SETTLE)
      })
      watcher.on('error', () => this.#folders.delete(folder))
      this.#folders.set(folder, watcher)
    } catch {
      // A missing folder is retried with the next set.
    }
  }

  #flush(): void {
    this.#timer = null
    const files = [...this.#changed]
    this.#changed.clear()
    this.#onChange(files)
  }
}

/** Returns where a path's links lead; the path itself if nothing is there. */
export function realPath(file: string): string {
  try {
    return realpathSync(file)
  } catch {
    return file
  }
}
