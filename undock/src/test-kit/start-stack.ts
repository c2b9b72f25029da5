import type { TestStack, TestStackOptions } from './test-stack.ts'
import { startWholeStack } from './whole-stack.ts'

/** The types of the functions here. */
export type { ContentPart } from '../database/project/project-content.ts'
export type { EngineInUse, RunningEngine } from '../database/session.ts'
export type { ApiKeys } from '../identity/identity.ts'
export type { AdjustableClock } from '../kernel/adjustable-clock.ts'
export type { LogLevel, LogLine } from '../kernel/log-lines.ts'
export type { Clock, LogFields } from '../kernel/service.ts'
export type { FileAction, TracedWork, Withheld, WithholdReason } from '../kernel/tracer.ts'
export type { Failure, FaultState, Faults } from '../runtime/control/simulated-faults.ts'
export type { PublicStackOptions, ServiceName } from '../runtime/stack/options.ts'
export type { PublicStack, StackSnapshot } from '../runtime/stack/public-stack.ts'
export type { RecordedBody } from '../timeline/bodies.ts'
export type { RecordedCaller, RequestRecord, RequestTree, Span, SqlStatement } from '../timeline/records.ts'
export type { MailOptions, TestMail } from './mails.ts'
export type { TestUser, UserOptions, UserSession } from './users.ts'
export type { WaitOptions } from './wait-until.ts'
export { forkStack } from './whole-stack.ts'
export type { TestStack, TestStackOptions }

/** Starts a project's backend for a test: in memory, on free ports, from the snapshot of its migrations and seed.
 *  Several can run in parallel. Options are those of `undock start`.
 *  @throws {ConfigError | ScriptError} with what to do about it. */
export async function startStack(options: TestStackOptions = {}): Promise<TestStack> {
  return startWholeStack(options)
}
