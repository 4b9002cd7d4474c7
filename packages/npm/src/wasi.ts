// The functions of WASI that the module imports: clocks, random numbers and standard error. It has no files and no environment.

const ERRNO_SUCCESS = 0;
const ERRNO_BADF = 8;
const ERRNO_NOSYS = 52;

/** Thrown where the module ends itself. */
class Exit extends Error {}

/** Imports for a module whose memory is known when it runs; `report` receives what it writes to standard error. */
export function wasiImports(memory: () => WebAssembly.Memory, report: (text: string) => void): WebAssembly.ModuleImports {
  const view = () => new DataView(memory().buffer);
  const decoder = new TextDecoder();
  const known: Record<string, (...args: any[]) => number> = {
    clock_time_get(clock: number, _precision: bigint, result: number): number {
      const milliseconds = clock === 0 ? Date.now() : performance.now();
      view().setBigUint64(result, BigInt(Math.round(milliseconds * 1e6)), true);
      return ERRNO_SUCCESS;
    },
    random_get(start: number, length: number): number {
      const bytes = new Uint8Array(memory().buffer, start, length);
      // The Web Cryptography API fills at most 65,536 bytes at a time.
      for (let at = 0; at < length; at += 65536) {
        crypto.getRandomValues(bytes.subarray(at, Math.min(at + 65536, length)));
      }
      return ERRNO_SUCCESS;
    },
    fd_write(descriptor: number, parts: number, count: number, written: number): number {
      if (descriptor !== 1 && descriptor !== 2) return ERRNO_BADF;
      let total = 0;
      for (let part = 0; part < count; part += 1) {
        const start = view().getUint32(parts + 8 * part, true);
        const length = view().getUint32(parts + 8 * part + 4, true);
        report(decoder.decode(new Uint8Array(memory().buffer, start, length)));
        total += length;
      }
      view().setUint32(written, total, true);
      return ERRNO_SUCCESS;
    },
    environ_sizes_get(count: number, size: number): number {
      view().setUint32(count, 0, true);
      view().setUint32(size, 0, true);
      return ERRNO_SUCCESS;
    },
    environ_get: () => ERRNO_SUCCESS,
    sched_yield: () => ERRNO_SUCCESS,
    proc_exit(): number {
      throw new Exit('the module has ended itself');
    },
  };
  // Descriptors of directories are looked for until there is none; no other function finds anything.
  return new Proxy({} as WebAssembly.ModuleImports, {
    get: (_target, name: string) => known[name] ?? (name.startsWith('fd_') ? () => ERRNO_BADF : () => ERRNO_NOSYS),
    has: () => true,
  });
}
