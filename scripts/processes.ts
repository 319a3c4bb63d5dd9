import { readdirSync, readFileSync, readlinkSync } from 'node:fs'

/**
 * Child processes of this one that listen on a TCP port of 127.0.0.1, found through /proc. Linux only; elsewhere none.
 *
 * The port is what tells two runtimes of one process apart: both are children named workerd.
 */
export function listenersOn(port: number): number[] {
  const sockets = listeningSockets(port)
  return childrenOf(process.pid).filter((pid) => openFiles(pid).some((file) => sockets.has(file)))
}

/** The sockets that listen on a port, written as the links in /proc/PID/fd are. */
function listeningSockets(port: number): Set<string> {
  const hexPort = port.toString(16).toUpperCase().padStart(4, '0')
  const rows = read('/proc/net/tcp').split('\n').slice(1)
  const columns = rows.map((row) => row.trim().split(/\s+/))
  // Columns: slot, local address, remote address, state (0A is listening), queues, timer, retransmits, uid, timeout, inode.
  const listening = columns.filter((column) => column[1]?.endsWith(`:${hexPort}`) && column[3] === '0A')
  return new Set(listening.map((column) => `socket:[${column[9]}]`))
}

function childrenOf(parent: number): number[] {
  const pids = list('/proc').filter((name) => /^\d+$/.test(name))
  return pids.map(Number).filter((pid) => parentOf(pid) === parent)
}

/** The name in /proc/PID/stat stands in parentheses and may hold spaces, so the fields count from the last one. */
function parentOf(pid: number): number {
  const stat = read(`/proc/${pid}/stat`)
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1])
}

function openFiles(pid: number): string[] {
  const folder = `/proc/${pid}/fd`
  return list(folder).flatMap((file) => {
    try {
      return [readlinkSync(`${folder}/${file}`)]
    } catch {
      return []
    }
  })
}

// A process may go between two looks, and there is no /proc elsewhere: what cannot be read counts as empty.
function read(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}

function list(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
