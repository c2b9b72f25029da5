import { UsageError } from './arguments.ts'

/** `undock db …`: what the Supabase CLI needs Docker for. */
export async function db([name, ...args]: readonly string[]): Promise<number> {
  switch (name) {
    case 'test':
      return (await import('./db-test.ts')).dbTest(args)
    case 'diff':
      return (await import('./db-diff.ts')).dbDiff(args)
    case 'dump':
      return (await import('./db-dump.ts')).dbDump(args)
    default:
      throw new UsageError(`undock db knows "test", "diff" and "dump", not "${name ?? ''}".`)
  }
}
