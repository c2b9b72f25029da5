import { createProgress } from '../report.ts'
import { cancellable } from '../signals.ts'

/** The maximum number of failures printed. */
const NAMED = 20

type Watch = { readonly signal: AbortSignal; onFile(files: number, bytes: number): void }

type Outcome = {
  /** The message for the user, apart from the failures. */
  readonly summary: string
  readonly failed: readonly {
    readonly object: { readonly bucket: string; readonly name: string }
    readonly reason: string
  }[]
}

/** Transfers files and prints the result. Running it again resumes it. @param verb As in "Couldn't … a file". @param done Its participle.
 *  @returns the command's exit code */
export function transferFiles(
  { verb, done }: { readonly verb: string; readonly done: string },
  transfer: (watch: Watch) => Promise<Outcome>,
): Promise<number> {
  return cancellable(`${done} files are kept; run the same command to continue.`, async (signal) => {
    const progress = createProgress()
    const onFile = (files: number, bytes: number) => progress(`  ${countFiles(files)}, ${megabytes(bytes)} so far`)
    const { summary, failed } = await transfer({ signal, onFile })
    console.error(summary)
    for (const { object, reason } of failed.slice(0, NAMED))
      console.error(`  Couldn't ${verb} ${object.bucket}/${object.name}: ${reason}`)
    if (failed.length > NAMED) console.error(`  ${failed.length - NAMED} more failed.`)
    return failed.length > 0 ? 1 : 0
  })
}

export const countFiles = (files: number): string => `${files.toLocaleString('en')} file${files === 1 ? '' : 's'}`

export const megabytes = (bytes: number): string =>
  `${(bytes / 1e6).toLocaleString('en', { maximumFractionDigits: 1 })} MB`
