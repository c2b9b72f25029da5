import { UsageError } from './arguments.ts'

/** `undock db …`: what the Supabase CLI needs Docker for. */
export async function db([name, ...args]: readonly string[]): Promise<number> {
  switch (name) {
    case 'test':
      return (await import('./db-test.ts')).dbTest(args)
    case 'diff':
    case 'dump':
      throw new UsageError(`undock db ${name} is not there yet.`)
    default:
      throw new UsageError(`undock db knows "test", not "${name ?? ''}".`)
  }
}
