/** Returns consecutive free versions for new migrations, a second apart, starting no earlier than now. */
export function freeVersions(taken: ReadonlySet<string>, count: number): string[] {
  for (let start = Date.now(); ; start += 1000) {
    const versions = Array.from({ length: count }, (_, index) => timestamp(new Date(start + index * 1000)))
    if (!versions.some((version) => taken.has(version))) return versions
  }
}

const timestamp = (time: Date): string => time.toISOString().replaceAll(/\D/g, '').slice(0, 14)
