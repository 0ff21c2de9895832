import type { AgentVariables } from './contract.ts';

/** Those of a cloud count where the CLI was told to use it. */
const aws = ['AWS_*'];
const google = names('GOOGLE_* CLOUDSDK_* GCLOUD_PROJECT CLOUD_ML_REGION VERTEX_* VERTEXAI_*');
const azure = ['AZURE_*'];

/** Of agents that can use any model: the variables that the makers of models name for their logins. */
const providers =
  names(`ANTHROPIC_* OPENAI_* AZURE_OPENAI_* GEMINI_* GOOGLE_API_KEY GOOGLE_GENERATIVE_AI_API_KEY OPENROUTER_* GROQ_*
  MISTRAL_* DEEPSEEK_* XAI_* TOGETHER_* FIREWORKS_* CEREBRAS_* DATABRICKS_* LITELLM_* OLLAMA_* TETRATE_* VENICE_* MOONSHOT_*
  ZHIPU_* HF_TOKEN`);

/** For those who keep their login where the desktop keeps secrets. */
const keyring = ['DBUS_SESSION_BUS_ADDRESS'];

export const ofClaude: AgentVariables = {
  always:
    names(`ANTHROPIC_* CLAUDE_* DISABLE_* MCP_TIMEOUT MCP_TOOL_TIMEOUT API_TIMEOUT_MS MAX_THINKING_TOKENS MAX_MCP_OUTPUT_TOKENS
    MAX_STRUCTURED_OUTPUT_RETRIES ENABLE_TOOL_SEARCH BASH_DEFAULT_TIMEOUT_MS BASH_MAX_TIMEOUT_MS BASH_MAX_OUTPUT_LENGTH
    USE_BUILTIN_RIPGREP`),
  when: {
    CLAUDE_CODE_USE_BEDROCK: aws,
    CLAUDE_CODE_USE_VERTEX: google,
    CLAUDE_CODE_USE_FOUNDRY: azure,
    CLAUDE_CODE_ENABLE_TELEMETRY: ['OTEL_*'],
  },
};

export const ofCodex: AgentVariables = { always: ['OPENAI_*', 'CODEX_*', 'AZURE_OPENAI_*', ...keyring] };

export const ofGemini: AgentVariables = { always: ['GEMINI_*', ...google, ...keyring] };

export const ofGoose: AgentVariables = {
  always: ['GOOSE_*', ...providers, ...keyring],
  when: {
    'GOOSE_PROVIDER=aws_bedrock': aws,
    'GOOSE_PROVIDER=sagemaker_tgi': aws,
    'GOOSE_PROVIDER=gcp_vertex_ai': google,
    'GOOSE_PROVIDER=azure_openai': azure,
  },
};

/** Which cloud it uses stands in its own settings: those variables are asked for by `inherit-env`. */
export const ofOpencode: AgentVariables = { always: ['OPENCODE_*', ...providers] };

/** Of a program that the task names, nobody knows what it reads. */
export const ofNamed: AgentVariables = { always: [] };

export const ofScripted: AgentVariables = { always: ['PITON_SCRIPTED_HOME'] };

function names(text: string): readonly string[] {
  return text.split(/\s+/);
}
