/**
 * What every command and agent is given of Piton's own environment: without these, programs do not find themselves, their
 * folders, the network or the language of the person. None proves who somebody is, but for proxies that have their password in
 * the address. `SSH_AUTH_SOCK` is not here: whoever has it can log in as the person wherever that person can.
 */
const parts = {
  self: 'PATH HOME USER LOGNAME SHELL HOSTNAME CI PITON_STORE PITON_DURABILITY',
  language: 'LANG LANGUAGE LC_* TZ',
  terminal: 'TERM COLORTERM NO_COLOR FORCE_COLOR CLICOLOR* COLUMNS',
  folders: 'TMPDIR TMP TEMP XDG_*',
  proxies:
    'http_proxy https_proxy ftp_proxy all_proxy no_proxy HTTP_PROXY HTTPS_PROXY FTP_PROXY ALL_PROXY NO_PROXY',
  certificates: `SSL_CERT_FILE SSL_CERT_DIR CURL_CA_BUNDLE REQUESTS_CA_BUNDLE NODE_EXTRA_CA_CERTS NIX_SSL_CERT_FILE
    GIT_SSL_CAINFO GIT_SSL_CAPATH`,
  /** Where they are installed, and how they are told where to look. */
  tools: `NODE_OPTIONS NODE_PATH NODE_ENV NODE_COMPILE_CACHE COREPACK_HOME PNPM_HOME BUN_INSTALL DENO_DIR NVM_* FNM_* VOLTA_HOME
    PYTHONPATH PYTHONHOME VIRTUAL_ENV CONDA_PREFIX PYENV_ROOT UV_CACHE_DIR GOPATH GOROOT GOBIN GOCACHE GOMODCACHE GOFLAGS
    GOTOOLCHAIN CARGO_HOME CARGO_TARGET_DIR RUSTUP_HOME RUSTUP_TOOLCHAIN RUSTFLAGS JAVA_HOME GRADLE_USER_HOME MAVEN_OPTS M2_HOME
    ANDROID_HOME ANDROID_SDK_ROOT GEM_HOME GEM_PATH RBENV_ROOT DOTNET_ROOT SDKMAN_DIR ASDF_DIR ASDF_DATA_DIR MISE_DATA_DIR
    MISE_CONFIG_DIR MISE_CACHE_DIR HOMEBREW_PREFIX NIX_PATH NIX_PROFILES LD_LIBRARY_PATH LD_PRELOAD DYLD_* PKG_CONFIG_PATH
    CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS MAKEFLAGS SDKROOT DEVELOPER_DIR`,
  /** Whose name commits bear, and which configuration is the person's own. */
  git: `GIT_AUTHOR_NAME GIT_AUTHOR_EMAIL GIT_COMMITTER_NAME GIT_COMMITTER_EMAIL EMAIL
    GIT_CONFIG_GLOBAL GIT_CONFIG_SYSTEM GIT_CONFIG_NOSYSTEM`,
};

export const baseEnvironment: readonly string[] = Object.values(parts).flatMap((part) => part.split(/\s+/));
