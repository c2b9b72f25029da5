import { execFile, spawnSync } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Stack, startStack } from '../../src/runtime/stack/stack.ts'
import { LOCAL_CREDENTIALS } from '../../src/storage/s3/authenticate.ts'
import { makeProject, type TestProject } from '../support/project.ts'

const execute = promisify(execFile)
const isInstalled = (tool: string, version: string) => spawnSync(tool, [version]).status === 0

let stack: Stack
let project: TestProject

beforeAll(async () => {
  project = await makeProject({ 'config.toml': 'project_id = "s3-tools"\n[edge_runtime]\nenabled = false\n' })
  stack = await startStack({ workdir: project.folder, ports: 'free', state: 'memory' })
  await writeFile(join(project.folder, 'small.txt'), 'hello')
  await writeFile(join(project.folder, 'large.bin'), Buffer.alloc(12_000_000, 'abc'))
})
afterAll(async () => {
  await stack?.stop()
  await project?.remove()
})

/** Runs a tool in the project's folder. @returns its output on both streams, whatever its exit code */
async function run(tool: string, words: readonly string[], env: Readonly<Record<string, string>>): Promise<string> {
  const options = { cwd: project.folder, env: { PATH: process.env.PATH, HOME: project.folder, ...env } }
  const { stdout, stderr } = await execute(tool, words, options).catch(
    (failed: { stdout: string; stderr: string }) => failed,
  )
  return stdout + stderr
}

const { accessKey, secretKey, region } = LOCAL_CREDENTIALS

describe.skipIf(!isInstalled('aws', '--version'))('aws-cli', () => {
  const aws = (...words: string[]) =>
    run('aws', ['--endpoint-url', `${stack.url}/storage/v1/s3`, ...words], {
      AWS_ACCESS_KEY_ID: accessKey,
      AWS_SECRET_ACCESS_KEY: secretKey,
      AWS_DEFAULT_REGION: region,
    })

  test('uploads in one and in several parts, lists, reads and removes', async () => {
    await aws('s3', 'mb', 's3://aws')
    await aws('s3', 'cp', 'small.txt', 's3://aws/a/small.txt')
    await aws('s3', 'cp', 'large.bin', 's3://aws/large.bin')
    expect(await aws('s3', 'ls', '--recursive', 's3://aws')).toMatch(/ 5 a\/small\.txt\n.* 12000000 large\.bin\n$/)
    expect(await aws('s3', 'cp', 's3://aws/a/small.txt', '-')).toBe('hello')
    expect(await aws('s3', 'rb', '--force', 's3://aws')).toContain('remove_bucket: aws')
  })

  test("prints the error's name", async () => {
    expect(await aws('s3', 'ls', 's3://none')).toContain('(NoSuchBucket) when calling the ListObjectsV2 operation')
  })
})

describe.skipIf(!isInstalled('rclone', 'version'))('rclone', () => {
  const rclone = (...words: string[]) =>
    run('rclone', words, {
      RCLONE_CONFIG_UNDOCK_TYPE: 's3',
      RCLONE_CONFIG_UNDOCK_PROVIDER: 'Other',
      RCLONE_CONFIG_UNDOCK_ENDPOINT: `${stack.url}/storage/v1/s3`,
      RCLONE_CONFIG_UNDOCK_REGION: region,
      RCLONE_CONFIG_UNDOCK_ACCESS_KEY_ID: accessKey,
      RCLONE_CONFIG_UNDOCK_SECRET_ACCESS_KEY: secretKey,
    })

  test('copies a folder, checks it, and purges a folder and the bucket', async () => {
    await rclone('copy', '.', 'undock:rclone/all', '--include', '*.{txt,bin}')
    await rclone('copy', '.', 'undock:rclone/some', '--include', '*.txt')
    expect(await rclone('check', '.', 'undock:rclone/all', '--include', '*.{txt,bin}')).toContain('0 differences found')
    await rclone('purge', 'undock:rclone/some')
    expect(await rclone('-q', 'lsf', '-R', '--files-only', 'undock:')).toBe(
      'rclone/all/large.bin\nrclone/all/small.txt\n',
    )
    await rclone('purge', 'undock:rclone')
    expect(await rclone('-q', 'lsf', 'undock:')).toBe('')
  })
})

describe.skipIf(!isInstalled('s3cmd', '--version'))('s3cmd', () => {
  const s3cmd = (...words: string[]) => {
    const address = `${stack.url.replace(/^http:\/\//, '')}/storage/v1/s3`
    const place = ['--no-ssl', `--host=${address}`, `--host-bucket=${address}`, `--region=${region}`]
    return run(
      's3cmd',
      [`--access_key=${accessKey}`, `--secret_key=${secretKey}`, '--no-progress', ...place, ...words],
      {},
    )
  }

  test('uploads in one and in several parts, lists, copies, reads and removes', async () => {
    await s3cmd('mb', 's3://cmd')
    await s3cmd('put', 'small.txt', "s3://cmd/a b/sm+all (1)'.txt")
    await s3cmd('put', '--multipart-chunk-size-mb=5', 'large.bin', 's3://cmd/large.bin')
    await s3cmd('cp', 's3://cmd/large.bin', 's3://cmd/copy.bin')
    const listed = await s3cmd('ls', '--recursive', 's3://cmd')
    expect(listed).toContain("s3://cmd/a b/sm+all (1)'.txt")
    expect(listed.match(/12000000 +s3:\/\/cmd\/(?:copy|large)\.bin/g)).toHaveLength(2)
    expect(await s3cmd('--quiet', 'get', "s3://cmd/a b/sm+all (1)'.txt", '-')).toBe('hello')
    // "rb --force" expects another error code than Storage returns for a bucket with objects.
    await s3cmd('del', '--recursive', '--force', 's3://cmd')
    expect(await s3cmd('rb', 's3://cmd')).toContain('removed')
    expect(await s3cmd('ls')).not.toContain('s3://cmd')
  })
})
