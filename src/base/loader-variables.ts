/** What makes a program load other people's code before its own: the loader's, the C library's and the shells' variables. */
const loading =
  /^(LD_.*|DYLD_.*|GCONV_PATH|LOCPATH|NLSPATH|GLIBC_TUNABLES|MALLOC_.*|BASH_ENV|ENV|BASH_FUNC_.*|SHELLOPTS|BASHOPTS|PS4|IFS)$/;

/**
 * Those of a task that is contained are for what runs inside, not for the programs that contain it: a path in them that is empty or
 * relative leads into its place, where it may have put a library of its own.
 */
export function loaderVariables(
  environment: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return Object.fromEntries(
    Object.entries(environment).filter(
      (entry): entry is [string, string] => entry[1] !== undefined && loading.test(entry[0]),
    ),
  );
}
